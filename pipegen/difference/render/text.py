"""A difference for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pipegen.difference.model import (
    ChangeKind,
    ConfigDifference,
    KeyChange,
    NamedChange,
    Pairs,
    PipelineDifference,
    Prompt,
    Whole,
)
from pipegen.difference.render.phrases import NOTHING, ask, is_long, length, lines, pairs, place, stages

_INDENT = "  "
_SIGNS = {ChangeKind.ADDED: "+", ChangeKind.REMOVED: "-", ChangeKind.CHANGED: "~"}


def render(found: ConfigDifference) -> str:
    """Return *found* as text, or that there is none."""
    if not found.is_any:
        return f"{found.new} means what {found.old} does\n"
    blocks = [
        *_named("input", found.inputs),
        *_named("target", found.targets),
        *(_whole("+", one, is_timed=found.is_timed) for one in found.added),
        *(_whole("-", one, is_timed=found.is_timed) for one in found.removed),
        *(_pipeline(one, is_timed=found.is_timed) for one in found.pipelines),
    ]
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _named(what: str, found: Sequence[NamedChange]) -> list[Iterable[str]]:
    return [[f"{_SIGNS[one.kind]} {what} {one.name}", *_keys(one.changes)] for one in found]


def _whole(sign: str, one: Whole, *, is_timed: bool) -> Iterator[str]:
    yield f"{sign} pipeline {one.name}"
    yield f"{_INDENT}{stages(len(one.stages))}: {', '.join(one.stages)}"
    yield f"{_INDENT}longest path: {length(one.path, is_timed=is_timed)}"
    yield from _asked("requirements", one.asked)


def _pipeline(one: PipelineDifference, *, is_timed: bool) -> Iterator[str]:
    was = f" (renamed from {one.old_name})" if one.name != one.old_name else ""
    yield f"~ pipeline {one.name}{was}"
    yield from _keys(one.changes)
    for placed in one.added:
        yield f"{_INDENT}+ {placed.stage}{place(placed)}"
        yield from (f"{_INDENT * 2}{line}" for change in placed.changes for line in _new(change))
    yield from (f"{_INDENT}- {placed.stage}{place(placed)}" for placed in one.removed)
    yield from (f"{_INDENT}~ {renamed.new} (renamed from {renamed.old})" for renamed in one.renamed)
    for changed in one.changed:
        yield f"{_INDENT}~ {', '.join(changed.stages)}"
        yield from (f"{_INDENT}{line}" for line in _keys(changed.changes))
    yield from _pairs("order added", one.gained)
    yield from _pairs("order removed", one.lost)
    yield from _paths(one, is_timed=is_timed)
    yield from _asked("new requirements", one.newly_asked)
    yield from _asked("requirements removed", one.asked_no_more)


def _keys(changes: Iterable[KeyChange]) -> Iterator[str]:
    for change in changes:
        if is_long(change):
            yield f"{_INDENT}{change.key}:"
            yield from (f"{_INDENT * 2}{line}" for line in lines(change))
        else:
            yield f"{_INDENT}{change.key}: {_said(change.old)} -> {_said(change.new)}"


def _new(change: KeyChange) -> Iterator[str]:
    """Yield what a key says that was not there before."""
    first, *rest = (change.new or "").splitlines() or [""]
    if rest:
        yield f"{change.key}:"
        yield from (f"{_INDENT}{line}" for line in (first, *rest))
    else:
        yield f"{change.key}: {_said(first)}"


def _said(text: str | None) -> str:
    return NOTHING if text is None else text or '""'


def _pairs(what: str, found: Pairs) -> Iterator[str]:
    if found.count:
        yield f"{_INDENT}{what}: {pairs(found)} of stages"
        for earlier, later in found.arcs:
            yield f"{_INDENT * 2}{', '.join(earlier)} before {', '.join(later)}"


def _paths(one: PipelineDifference, *, is_timed: bool) -> Iterator[str]:
    old, new = one.old_path, one.new_path
    if old == new:
        return
    was = f", was {length(old, is_timed=is_timed)}" if old.length != new.length else ", as before"
    yield f"{_INDENT}longest path: {length(new, is_timed=is_timed)}{was}"
    yield f"{_INDENT * 2}{' -> '.join(new.stages)}"
    if old.stages != new.stages:
        yield f"{_INDENT * 2}was {' -> '.join(old.stages)}"


def _asked(what: str, found: Iterable[Prompt]) -> Iterator[str]:
    told = [f"{one.stage} {ask(one)}" for one in found]
    if told:
        yield f"{_INDENT}{what}: {'; '.join(told)}"
