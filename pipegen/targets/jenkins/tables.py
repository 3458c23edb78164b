"""Stages as tables: the form of files for which code of their own is too much.

A table is text, and a text is one constant of a class, whatever its stages do; a text may have 65,535 units, so a table
has half of that at most, unless a single stage has more. What its lines mean:

    stage NAME          begins a stage
    after NAME          a stage directly before it
    agent LABEL         where it runs; `pinned`: on the agent chosen at the start; `agentless`: without taking one
    failFast NAME       of these stages, none starts any more once one has failed
    when, steps, failed  begin its condition, its steps, and what follows a failure
     KIND               a step; one that stands deeper is run by it, or, after a colon, an argument of it
    |TEXT               a text of that
    +TEXT               goes on with the text before, behind a line break
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.entries import Entry, condition_entry, entries, walk
from pipegen.targets.jenkins.kinds import Kinds
from pipegen.targets.jenkins.work import Work

_LONGEST = 30_000
# What a stage runs, by the line that begins it.
_Sections = tuple[tuple[str, tuple[Entry, ...]], ...]


def lower_tables(work: Work, stages: Sequence[model.Stage]) -> model.Tables:
    """Return *stages* as tables, those of a pipeline together."""
    rows = {stage.name: _sections(stage) for stage in stages}
    inside = {name: [entry for _, found in row for entry in walk(found)] for name, row in rows.items()}
    kinds = Kinds(entry for found in inside.values() for entry in found)
    texts: list[str] = []
    spans: list[model.Span] = []
    words: set[str] = set()
    for plan in work.plans:
        part = [stage for stage in stages if stage.pipeline == plan.name]
        written = [[*_lines(stage, rows[stage.name], kinds)] for stage in part]
        words |= {line.partition(" ")[0] for lines in written for line in lines if line[0] not in " |+"}
        first = len(texts) + 1
        texts += _packed("\n".join(lines) for lines in written)
        spans.append(model.Span(work.selected(plan.name), first, len(texts)))
    return model.Tables(
        texts=tuple(texts),
        spans=tuple(spans),
        steps=kinds.functions(is_value=False),
        values=kinds.functions(is_value=True),
        words=frozenset(words),
        too_large=tuple(name for name, found in inside.items() if any(map(kinds.is_too_large, found))),
    )


def _sections(stage: model.Stage) -> _Sections:
    when = [("when", (condition_entry(stage.condition),))] if stage.condition else []
    failed = [("failed", entries(stage.on_failure))] if stage.on_failure else []
    return (*when, ("steps", entries(stage.steps)), *failed)


def _lines(stage: model.Stage, sections: _Sections, kinds: Kinds) -> Iterator[str]:
    """Yield the lines of *stage*; a text of several lines is several of these."""
    yield _text("stage ", stage.name)
    for name in stage.after:
        yield _text("after ", name)
    if stage.agent is None:
        yield "agentless"
    elif stage.agent.is_pinned:
        yield "pinned"
    elif stage.agent.label:
        yield _text("agent ", stage.agent.label)
    if stage.fail_fast:
        yield _text("failFast ", stage.fail_fast)
    for word, found in sections:
        yield word
        for entry in found:
            yield from _written(entry, " ", kinds)


def _written(entry: Entry, margin: str, kinds: Kinds) -> Iterator[str]:
    kind = kinds.of(entry)
    yield f"{margin}{':' if entry.is_value else ''}{kind.name}"
    for text in kind.told(entry.shape.texts):
        yield _text("|", text)
    for inner in (*entry.given, *entry.steps):
        yield from _written(inner, f"{margin} ", kinds)


def _text(before: str, text: str) -> str:
    return before + text.replace("\n", "\n+")


def _packed(rows: Iterable[str]) -> Iterator[str]:
    """Yield tables of *rows*; each has a line break at both ends."""
    packed: list[str] = []
    length = 0
    for row in rows:
        if packed and length + len(row) > _LONGEST:
            yield _table(packed)
            packed, length = [], 0
        packed.append(row)
        length += len(row) + 1
    yield _table(packed)


def _table(rows: Sequence[str]) -> str:
    return "".join(("\n", *(f"{row}\n" for row in rows)))
