"""Stages as tables: the form of large files, whose stages do not fit as code.

A table is text, and a text is one constant of a class, whatever its stages do; a text may have 65,535 units, so a table
has at most half of that, unless a single stage has more. The meaning of its lines:

    stage NAME          starts a stage
    after NAME          a stage directly before it
    agent LABEL         its agent; `pinned`: that of all stages that share images; `agentless`: no agent
    failFast NAME       of these stages, none starts once one has failed
    when, steps, failed  start its condition, its steps, and the steps after a failure
     KIND               a step; an indented one is run by it, or, after a colon, an argument of it
    |TEXT               a text of that
    +TEXT               continues the text before, after a line break
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pipegen.structs import Struct
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.named_jobs import ScriptedPlans
from pipegen.targets.jenkins.styles.entries import TableEntry, condition_entry, entries
from pipegen.targets.jenkins.styles.kinds import KindOf, Kinds

_LONGEST = 30_000
# Separates lines until the table is complete; no text contains this character.
_BREAK = "\0"


class _EntryRow(Struct):
    """An entry before the common texts of its *kind* are known: its indentation, and its texts."""

    margin: str
    kind: KindOf
    texts: tuple[str, ...]


def lower_tables(work: ScriptedPlans, stages: Sequence[model.StageBlock]) -> model.Tables:
    """Return *stages* as tables, grouped by pipeline."""
    kinds = Kinds()
    words: set[str] = set()
    rows = {stage.name: _rows(stage, kinds, words) for stage in stages}
    too_large = kinds.settle()
    texts: list[str] = []
    spans: list[model.PipelineRange] = []
    for plan in work.plans:
        first = len(texts) + 1
        texts += _packed(_text(rows[stage.name]) for stage in stages if stage.pipeline == plan.name)
        spans.append(model.PipelineRange(work.selected(plan.name), first, len(texts)))
    return model.Tables(
        texts=tuple(texts),
        spans=tuple(spans),
        steps=kinds.functions(is_value=False),
        values=kinds.functions(is_value=True),
        words=frozenset(words),
        too_large=tuple([name for name, stage_rows in rows.items() if _has_kind(stage_rows, too_large)])
        if too_large
        else (),
    )


def _has_kind(rows: Iterable[str | _EntryRow], kinds: frozenset[KindOf]) -> bool:
    return any(not isinstance(row, str) and row.kind in kinds for row in rows)


def _rows(stage: model.StageBlock, kinds: Kinds, words: set[str]) -> list[str | _EntryRow]:
    """Return the lines of *stage*; its entries are added to *kinds*, the first words of other lines to *words*."""
    head = _head(stage)
    words |= {word for word, _ in head}
    rows: list[str | _EntryRow] = [word if text is None else f"{word} {text}" for word, text in head]
    for word, section in _sections(stage):
        words.add(word)
        rows.append(word)
        _add(section, " ", kinds, rows)
    return rows


def _head(stage: model.StageBlock) -> list[tuple[str, str | None]]:
    """Return the lines for the name, the predecessors and the agent: a word, and possibly a text."""
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
    """Return the entries of *stage*, by the line that starts them."""
    sections: list[tuple[str, tuple[TableEntry, ...]]] = []
    if stage.condition:
        sections.append(("when", (condition_entry(stage.condition),)))
    sections.append(("steps", entries(stage.steps)))
    if stage.on_failure:
        sections.append(("failed", entries(stage.on_failure)))
    return sections


def _add(table_entries: Iterable[TableEntry], margin: str, kinds: Kinds, rows: list[str | _EntryRow]) -> None:
    """Add *table_entries* and their inner entries to *rows*, each before its inner ones."""
    for entry in table_entries:
        rows.append(_EntryRow(margin, kinds.of(entry), entry.shape.texts))
        if entry.arguments:
            _add(entry.arguments, f"{margin} ", kinds, rows)
        if entry.steps:
            _add(entry.steps, f"{margin} ", kinds, rows)


def _text(rows: Iterable[str | _EntryRow]) -> str:
    """Return the text of *rows*; a text of several lines takes several of these."""
    lines: list[str] = []
    for row in rows:
        if isinstance(row, str):
            lines.append(row)
        else:
            lines.append(row.margin + row.kind.mark)
            if row.kind.differing:
                lines += [f"|{row.texts[index]}" for index in row.kind.differing]
    return _BREAK.join(lines).replace("\n", "\n+").replace(_BREAK, "\n")


def _packed(rows: Iterable[str]) -> Iterator[str]:
    """Yield tables of *rows*; each starts and ends with a line break."""
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
