"""A difference as the comment of a merge request: what matters first, the rest to be unfolded."""

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
    Prompt,
    Whole,
)
from pipegen.difference.render.phrases import NOTHING, ask, counted, is_long, length, lines, pairs, stages

# What a cell of a table shows of a value; all of it is in the other formats.
_MOST = 120
_TICKS = re.compile("`+")


def render(found: ConfigDifference) -> str:
    """Return *found* as markdown that GitLab, GitHub and others show alike."""
    versions = f"{_code(found.old)} → {_code(found.new)}"
    if not found.is_any:
        return f"### Pipelines: no change in meaning\n\n{versions}\n"
    parts = [
        f"### Pipelines: what changes\n\n{versions}",
        *(_whole("added", one, is_timed=found.is_timed) for one in found.added),
        *(_whole("removed", one, is_timed=found.is_timed) for one in found.removed),
        *(_pipeline(one, is_timed=found.is_timed) for one in found.pipelines),
        *_named("Inputs", found.inputs),
        *_named("Targets", found.targets),
    ]
    return "\n\n".join(parts) + "\n"


def _whole(what: str, one: Whole, *, is_timed: bool) -> str:
    told = [f"**Pipeline {_code(one.name)} {what}**: {stages(len(one.stages))}, {_codes(one.stages)}"]
    told.append(f"- longest path: {_path(one.path, is_timed=is_timed)}")
    told += [f"- **requirement**: {_code(asked.stage)} {_ask(asked)}" for asked in one.asked]
    return "\n".join(told)


def _pipeline(one: PipelineDifference, *, is_timed: bool) -> str:
    was = f" (renamed from {_code(one.old_name)})" if one.name != one.old_name else ""
    told = [f"**Pipeline {_code(one.name)}**{was}{_summary(one)}"]
    told += [f"- **new requirement**: {_code(asked.stage)} {_ask(asked)}" for asked in one.newly_asked]
    told += [f"- **requirement removed**: {_code(asked.stage)} {_ask(asked)}" for asked in one.asked_no_more]
    if one.old_path != one.new_path:
        was = f", was {_path(one.old_path, is_timed=is_timed)}" if one.old_path.stages else ""
        told.append(f"- longest path: {_path(one.new_path, is_timed=is_timed)}{was}")
    told += [f"- added: {_code(placed.stage)}{_place(placed.after, placed.before)}" for placed in one.added]
    told += [f"- removed: {_code(placed.stage)}" for placed in one.removed]
    told += [f"- renamed: {_code(renamed.old)} to {_code(renamed.new)}" for renamed in one.renamed]
    details = [*_order(one), *_changes(one)]
    if details:
        folded = "\n\n".join(("<details><summary>Details</summary>", *details, "</details>"))
        return "\n".join(told) + f"\n\n{folded}"
    return "\n".join(told)


def _summary(one: PipelineDifference) -> str:
    """Return what changes, counted."""
    told = [
        f"{count} {what}"
        for count, what in (
            (len(one.added), "added"),
            (len(one.removed), "removed"),
            (len(one.renamed), "renamed"),
            (counted(one.changed), "changed"),
        )
        if count
    ]
    order = [f"{pairs(found)} {what}" for found, what in ((one.gained, "added"), (one.lost, "removed")) if found.count]
    parts = [f"stages: {', '.join(told)}"] if told else []
    parts += [f"order: {', '.join(order)}"] if order else []
    return f" — {'; '.join(parts)}" if parts else ""


def _order(one: PipelineDifference) -> Iterator[str]:
    told = [*_pairs("order added", one.gained), *_pairs("order removed", one.lost)]
    if told:
        yield "\n".join(told)


def _pairs(what: str, found: Pairs) -> Iterator[str]:
    yield from (f"- {what}: {_codes(earlier)} before {_codes(later)}" for earlier, later in found.arcs)


def _changes(one: PipelineDifference) -> Iterator[str]:
    rows = [("the pipeline", change) for change in one.changes]
    rows += [(f"{_code(placed.stage)}, added", change) for placed in one.added for change in placed.changes]
    rows += [(_codes(changed.stages), change) for changed in one.changed for change in changed.changes]
    yield from _table("stage", rows)


def _named(what: str, found: Sequence[NamedChange]) -> Iterator[str]:
    if found:
        rows = [(f"{_code(one.name)} {one.kind.value}", change) for one in found for change in one.changes]
        bare = [f"- {_code(one.name)} {one.kind.value}" for one in found if not one.changes]
        yield "\n\n".join((f"**{what}**", *(["\n".join(bare)] if bare else ()), *_table(what.lower(), rows)))


def _table(what: str, rows: Sequence[tuple[str, KeyChange]]) -> Iterator[str]:
    """Yield a table of the changes that fit into one, then the others as blocks."""
    short = [(name, change) for name, change in rows if not is_long(change)]
    if short:
        told = [f"| {what} | key | old | new |", "|---|---|---|---|"]
        told += [f"| {' | '.join(map(_cell, _row(name, change)))} |" for name, change in short]
        yield "\n".join(told)
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
    return _code(text if len(text) <= _MOST else f"{text[: _MOST - 1]}…") if text else "empty"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _path(path: LongestPath, *, is_timed: bool) -> str:
    return f"{length(path, is_timed=is_timed)} ({' → '.join(map(_code, path.stages))})"


def _place(after: Sequence[str], before: Sequence[str]) -> str:
    said = [f"after {_codes(after)}"] if after else []
    said += [f"before {_codes(before)}"] if before else []
    return f", {', '.join(said)}" if said else ""


def _ask(one: Prompt) -> str:
    return f"reads the secret {_code(one.secret)}" if one.secret else ask(one)


def _codes(names: Iterable[str]) -> str:
    return ", ".join(map(_code, names))


def _code(text: str) -> str:
    """Return *text* as code, whatever it holds."""
    fence = _fence(text, 1)
    edge = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{edge}{text}{edge}{fence}"


def _fence(text: str, least: int) -> str:
    """Return ticks that *text* does not hold."""
    longest = max((len(found) for found in _TICKS.findall(text)), default=0)
    return "`" * max(least, longest + 1)
