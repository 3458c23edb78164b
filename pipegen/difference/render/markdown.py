"""A difference as a Markdown comment on a merge request, with details folded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from pipegen.difference.model import (
    ConfigDifference,
    KeyChange,
    LongestPath,
    NamedChange,
    Pairs,
    PipelineDifference,
    PipelineSummary,
    Prompt,
)
from pipegen.difference.render.phrases import NOTHING, ask, counted, is_long, length, lines, pairs, stages

# The most characters of a value in a table; other formats have all of it.
_MAX_VALUE = 120
_TICKS = re.compile("`+")


def render(difference: ConfigDifference) -> str:
    """Return *difference* as Markdown that GitLab and GitHub display alike."""
    versions = f"{_code(difference.old)} → {_code(difference.new)}"
    if not difference.has_changes:
        return f"### Pipelines: no change in meaning\n\n{versions}\n"
    parts = [
        f"### Pipelines: changes\n\n{versions}",
        *(_pipeline_summary("added", item, is_timed=difference.is_timed) for item in difference.added),
        *(_pipeline_summary("removed", item, is_timed=difference.is_timed) for item in difference.removed),
        *(_pipeline(item, is_timed=difference.is_timed) for item in difference.pipelines),
        *_named("Inputs", difference.inputs),
        *_named("Targets", difference.targets),
    ]
    return "\n\n".join(parts) + "\n"


def _pipeline_summary(verb: str, summary: PipelineSummary, *, is_timed: bool) -> str:
    lines_ = [f"**Pipeline {_code(summary.name)} {verb}**: {stages(len(summary.stages))}, {_codes(summary.stages)}"]
    lines_.append(f"- longest path: {_path(summary.path, is_timed=is_timed)}")
    lines_ += [f"- **prompts**: {_code(prompt.stage)} {_ask(prompt)}" for prompt in summary.prompts]
    return "\n".join(lines_)


def _pipeline(pipeline: PipelineDifference, *, is_timed: bool) -> str:
    old_name = f", renamed from {_code(pipeline.old_name)}" if pipeline.name != pipeline.old_name else ""
    lines_ = [f"**Pipeline {_code(pipeline.name)}**{old_name}{_summary(pipeline)}"]
    lines_ += [f"- **new prompts**: {_code(prompt.stage)} {_ask(prompt)}" for prompt in pipeline.newly_asked]
    lines_ += [f"- **removed prompts**: {_code(prompt.stage)} {_ask(prompt)}" for prompt in pipeline.no_longer_asked]
    if pipeline.old_path != pipeline.new_path:
        old_name = f", was {_path(pipeline.old_path, is_timed=is_timed)}" if pipeline.old_path.stages else ""
        lines_.append(f"- longest path: {_path(pipeline.new_path, is_timed=is_timed)}{old_name}")
    lines_ += [f"- added: {_code(stage.stage)}{_order_of(stage.after, stage.before)}" for stage in pipeline.added]
    lines_ += [f"- removed: {_code(stage.stage)}" for stage in pipeline.removed]
    lines_ += [f"- renamed: {_code(rename.old)} to {_code(rename.new)}" for rename in pipeline.renamed]
    details = [*_order(pipeline), *_changes(pipeline)]
    if details:
        folded = "\n\n".join(("<details><summary>Details</summary>", *details, "</details>"))
        return "\n".join(lines_) + f"\n\n{folded}"
    return "\n".join(lines_)


def _summary(pipeline: PipelineDifference) -> str:
    """Return the number of changes of each kind."""
    counts = [
        f"{count} {verb}"
        for count, verb in (
            (len(pipeline.added), "added"),
            (len(pipeline.removed), "removed"),
            (len(pipeline.renamed), "renamed"),
            (counted(pipeline.changed), "changed"),
        )
        if count
    ]
    order = [
        f"{pairs(pairs_)} {verb}"
        for pairs_, verb in ((pipeline.gained, "gained"), (pipeline.lost, "lost"))
        if pairs_.count
    ]
    parts = [f"stages: {', '.join(counts)}"] if counts else []
    parts += [f"order: {', '.join(order)}"] if order else []
    return f" — {'; '.join(parts)}" if parts else ""


def _order(pipeline: PipelineDifference) -> Iterator[str]:
    lines_ = [*_pairs("newly ordered", pipeline.gained), *_pairs("no longer ordered", pipeline.lost)]
    if lines_:
        yield "\n".join(lines_)


def _pairs(description: str, pairs_: Pairs) -> Iterator[str]:
    yield from (f"- {description}: {_codes(earlier)} before {_codes(later)}" for earlier, later in pairs_.arcs)


def _changes(pipeline: PipelineDifference) -> Iterator[str]:
    rows = [("the pipeline", change) for change in pipeline.changes]
    rows += [(f"{_code(stage.stage)}, added", change) for stage in pipeline.added for change in stage.changes]
    rows += [(_codes(changed.stages), change) for changed in pipeline.changed for change in changed.changes]
    yield from _table("stage", rows)


def _named(title: str, named_changes: Sequence[NamedChange]) -> Iterator[str]:
    if named_changes:
        rows = [
            (f"{_code(named_change.name)} {named_change.kind.value}", change)
            for named_change in named_changes
            for change in named_change.changes
        ]
        bare = [
            f"- {_code(named_change.name)} {named_change.kind.value}"
            for named_change in named_changes
            if not named_change.changes
        ]
        yield "\n\n".join((f"**{title}**", *(["\n".join(bare)] if bare else ()), *_table(title.lower(), rows)))


def _table(heading: str, rows: Sequence[tuple[str, KeyChange]]) -> Iterator[str]:
    """Yield a table of the short changes, then the others as blocks."""
    short = [(name, change) for name, change in rows if not is_long(change)]
    if short:
        lines_ = [f"| {heading} | key | old | new |", "|---|---|---|---|"]
        lines_ += [f"| {' | '.join(map(_cell, _row(name, change)))} |" for name, change in short]
        yield "\n".join(lines_)
    for name, change in rows:
        if is_long(change):
            body = "\n".join(lines(change))
            fence = _fence(body, 3)
            yield f"{name}, {_code(change.key)}:\n\n{fence}diff\n{body}\n{fence}"


def _row(name: str, change: KeyChange) -> tuple[str, ...]:
    return name, _code(change.key), _value(change.old), _value(change.new)


def _value(text: str | None) -> str:
    if text is None:
        return NOTHING
    return _code(text if len(text) <= _MAX_VALUE else f"{text[: _MAX_VALUE - 1]}…") if text else "empty"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _path(path: LongestPath, *, is_timed: bool) -> str:
    return f"{length(path, is_timed=is_timed)} ({' → '.join(map(_code, path.stages))})"


def _order_of(after: Sequence[str], before: Sequence[str]) -> str:
    parts = [f"after {_codes(after)}"] if after else []
    parts += [f"before {_codes(before)}"] if before else []
    return f", {', '.join(parts)}" if parts else ""


def _ask(prompt: Prompt) -> str:
    return f"reads the secret {_code(prompt.secret)}" if prompt.secret else ask(prompt)


def _codes(names: Iterable[str]) -> str:
    return ", ".join(map(_code, names))


def _code(text: str) -> str:
    """Return *text* as inline code, whatever characters it contains."""
    fence = _fence(text, 1)
    edge = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{edge}{text}{edge}{fence}"


def _fence(text: str, minimum: int) -> str:
    """Return a run of backticks that *text* does not contain."""
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    return "`" * max(minimum, longest + 1)
