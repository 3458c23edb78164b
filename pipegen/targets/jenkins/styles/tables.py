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

from pipegen.structs import Struct
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.named_jobs import ScriptedPlans
from pipegen.targets.jenkins.styles.entries import TableEntry, condition_entry, entries
from pipegen.targets.jenkins.styles.kinds import KindOf, Kinds

_LONGEST = 30_000
# Stands between lines until all are there; no text holds this character.
_BREAK = "\0"


class _Kept(Struct):
    """The lines of an entry, kept until it is known what all of its *kind* say: how deep it stands, and its texts."""

    margin: str
    kind: KindOf
    texts: tuple[str, ...]


def lower_tables(work: ScriptedPlans, stages: Sequence[model.StageBlock]) -> model.Tables:
    """Return *stages* as tables, those of a pipeline together."""
    kinds = Kinds()
    words: set[str] = set()
    rows = {stage.name: _rows(stage, kinds, words) for stage in stages}
    too_large = kinds.settle()
    texts: list[str] = []
    spans: list[model.PipelineRange] = []
    for plan in work.plans:
        first = len(texts) + 1
        texts += _packed(_written(rows[stage.name]) for stage in stages if stage.pipeline == plan.name)
        spans.append(model.PipelineRange(work.selected(plan.name), first, len(texts)))
    return model.Tables(
        texts=tuple(texts),
        spans=tuple(spans),
        steps=kinds.functions(is_value=False),
        values=kinds.functions(is_value=True),
        words=frozenset(words),
        too_large=tuple([name for name, found in rows.items() if _holds(found, too_large)]) if too_large else (),
    )


def _holds(rows: Iterable[str | _Kept], kinds: frozenset[KindOf]) -> bool:
    return any(not isinstance(row, str) and row.kind in kinds for row in rows)


def _rows(stage: model.StageBlock, kinds: Kinds, words: set[str]) -> list[str | _Kept]:
    """Return the lines of *stage*; *kinds* get to know its entries, *words* the first words of the other lines."""
    head = _head(stage)
    words |= {word for word, _ in head}
    rows: list[str | _Kept] = [word if text is None else f"{word} {text}" for word, text in head]
    for word, found in _sections(stage):
        words.add(word)
        rows.append(word)
        _add(found, " ", kinds, rows)
    return rows


def _head(stage: model.StageBlock) -> list[tuple[str, str | None]]:
    """Return the lines that say which stage it is, after which and where: a word, and perhaps a text."""
    head: list[tuple[str, str | None]] = [("stage", stage.name), *[("after", name) for name in stage.after]]
    if stage.agent is None:
        head.append(("agentless", None))
    elif stage.agent.is_pinned:
        head.append(("pinned", None))
    elif stage.agent.label:
        head.append(("agent", stage.agent.label))
    if stage.fail_fast:
        head.append(("failFast", stage.fail_fast))
    return head


def _sections(stage: model.StageBlock) -> list[tuple[str, tuple[TableEntry, ...]]]:
    """Return what *stage* runs, by the line that begins it."""
    sections: list[tuple[str, tuple[TableEntry, ...]]] = []
    if stage.condition:
        sections.append(("when", (condition_entry(stage.condition),)))
    sections.append(("steps", entries(stage.steps)))
    if stage.on_failure:
        sections.append(("failed", entries(stage.on_failure)))
    return sections


def _add(found: Iterable[TableEntry], margin: str, kinds: Kinds, rows: list[str | _Kept]) -> None:
    """Add *found* and all in them to *rows*, each before what it holds."""
    for entry in found:
        rows.append(_Kept(margin, kinds.of(entry), entry.shape.texts))
        if entry.given:
            _add(entry.given, f"{margin} ", kinds, rows)
        if entry.steps:
            _add(entry.steps, f"{margin} ", kinds, rows)


def _written(rows: Iterable[str | _Kept]) -> str:
    """Return the text of *rows*; a text of several lines is several of these."""
    lines: list[str] = []
    for row in rows:
        if isinstance(row, str):
            lines.append(row)
        else:
            lines.append(row.margin + row.kind.mark)
            if row.kind.told:
                lines += [f"|{row.texts[place]}" for place in row.kind.told]
    return _BREAK.join(lines).replace("\n", "\n+").replace(_BREAK, "\n")


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
