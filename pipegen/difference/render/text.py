"""A difference as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pipegen.difference.model import (
    ChangeKind,
    ConfigDifference,
    KeyChange,
    NamedChange,
    Pairs,
    PipelineDifference,
    PipelineSummary,
    Prompt,
)
from pipegen.difference.render.phrases import (
    NOTHING,
    ask,
    is_long,
    length,
    lines,
    listed,
    order_of,
    pairs,
    quoted,
    stages,
)

_INDENT = "  "
_SIGNS = {ChangeKind.ADDED: "+", ChangeKind.REMOVED: "-", ChangeKind.CHANGED: "~"}


def render(difference: ConfigDifference) -> str:
    """Return *difference* as text, or a sentence that there is none."""
    if not difference.has_changes:
        return f"{difference.new} has the same meaning as {difference.old}\n"
    blocks = [
        *_named("input", difference.inputs),
        *_named("target", difference.targets),
        *(_summary("+", item, is_timed=difference.is_timed) for item in difference.added),
        *(_summary("-", item, is_timed=difference.is_timed) for item in difference.removed),
        *(_pipeline(item, is_timed=difference.is_timed) for item in difference.pipelines),
    ]
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _named(kind: str, named_changes: Sequence[NamedChange]) -> list[Iterable[str]]:
    return [
        [f"{_SIGNS[named_change.kind]} {kind} {named_change.name}", *_keys(named_change.changes)]
        for named_change in named_changes
    ]


def _summary(sign: str, summary: PipelineSummary, *, is_timed: bool) -> Iterator[str]:
    yield f"{sign} pipeline {summary.name}"
    yield f"{_INDENT}{stages(len(summary.stages))}: {listed(summary.stages)}"
    yield f"{_INDENT}longest path: {length(summary.path, is_timed=is_timed)}"
    yield from _prompts("prompts", summary.prompts)


def _pipeline(pipeline: PipelineDifference, *, is_timed: bool) -> Iterator[str]:
    old_name = f", renamed from {pipeline.old_name}" if pipeline.name != pipeline.old_name else ""
    yield f"~ pipeline {pipeline.name}{old_name}"
    yield from _keys(pipeline.changes)
    for stage in pipeline.added:
        yield f"{_INDENT}+ {quoted(stage.stage)}{order_of(stage)}"
        yield from (f"{_INDENT * 2}{line}" for change in stage.changes for line in _new(change))
    yield from (f"{_INDENT}- {quoted(stage.stage)}{order_of(stage)}" for stage in pipeline.removed)
    yield from (f"{_INDENT}~ {quoted(rename.new)}, renamed from {quoted(rename.old)}" for rename in pipeline.renamed)
    for changed in pipeline.changed:
        yield f"{_INDENT}~ {listed(changed.stages)}"
        yield from (f"{_INDENT}{line}" for line in _keys(changed.changes))
    yield from _pairs("newly ordered", pipeline.gained)
    yield from _pairs("no longer ordered", pipeline.lost)
    yield from _paths(pipeline, is_timed=is_timed)
    yield from _prompts("new prompts", pipeline.newly_asked)
    yield from _prompts("removed prompts", pipeline.no_longer_asked)


def _keys(changes: Iterable[KeyChange]) -> Iterator[str]:
    for change in changes:
        if is_long(change):
            yield f"{_INDENT}{change.key}:"
            yield from (f"{_INDENT * 2}{line}" for line in lines(change))
        else:
            yield f"{_INDENT}{change.key}: {_value(change.old)} -> {_value(change.new)}"


def _new(change: KeyChange) -> Iterator[str]:
    """Yield the lines of an added key."""
    first, *rest = (change.new or "").splitlines() or [""]
    if rest:
        yield f"{change.key}:"
        yield from (f"{_INDENT}{line}" for line in (first, *rest))
    else:
        yield f"{change.key}: {_value(first)}"


def _value(text: str | None) -> str:
    return NOTHING if text is None else text or '""'


def _pairs(description: str, ordered: Pairs) -> Iterator[str]:
    if ordered.count:
        yield f"{_INDENT}{description}: {pairs(ordered)} of stages"
        for earlier, later in ordered.arcs:
            yield f"{_INDENT * 2}{listed(earlier)} before {listed(later)}"


def _paths(pipeline: PipelineDifference, *, is_timed: bool) -> Iterator[str]:
    old, new = pipeline.old_path, pipeline.new_path
    if old == new:
        return
    previous = f", was {length(old, is_timed=is_timed)}" if old.length != new.length else ", as before"
    yield f"{_INDENT}longest path: {length(new, is_timed=is_timed)}{previous}"
    yield f"{_INDENT * 2}{' -> '.join(map(quoted, new.stages))}"
    if old.stages != new.stages:
        yield f"{_INDENT * 2}was {' -> '.join(map(quoted, old.stages))}"


def _prompts(verb: str, prompts: Iterable[Prompt]) -> Iterator[str]:
    descriptions = [f"{quoted(prompt.stage)} {ask(prompt)}" for prompt in prompts]
    if descriptions:
        yield f"{_INDENT}{verb}: {'; '.join(descriptions)}"
