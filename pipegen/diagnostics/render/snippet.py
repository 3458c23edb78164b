"""A line of source with its labels underneath."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pipegen.diagnostics.model import Label
from pipegen.diagnostics.render.terminal import Painter, Style, cells, safe
from pipegen.source.text import SourceFile

# A line that is longer is shown in part.
WIDEST = 120
# How much of a clipped line is shown in front of what is marked.
_LEAD = 20
_CUT = "…"


@dataclass(frozen=True, slots=True)
class Mark:
    """A label on one line: characters *start* to *end* of it, from 0; at least one."""

    line: int
    start: int
    end: int
    text: str
    is_primary: bool


def mark(label: Label, *, is_primary: bool) -> Mark:
    """Return the mark of *label*: of several lines it marks the first, up to its last visible character."""
    first, last = label.span.first, label.span.last
    start = first.column - 1
    line = label.span.file.line(first.line)
    end = last.column - 1 if last.line == first.line else len(line.rstrip())
    return Mark(first.line, start, max(min(end, len(line)), start + 1), safe(label.text), is_primary)


def rows(file: SourceFile, marks: Sequence[Mark], severity: Style, painter: Painter) -> Iterator[str]:
    """Yield the line that *marks* are on, then what stands below it; a line too long for all marks comes again."""
    shown, columns = cells(file.line(marks[0].line))
    for start, end, group in _windows(columns, sorted(marks, key=lambda found: (found.start, found.end))):
        offset = columns[start] - (1 if start else 0)
        head = _CUT if start else ""
        tail = _CUT if end < len(shown) else ""
        yield (head + "".join(shown[start:end]) + tail).rstrip()
        yield from _below([_Drawn(found, columns, offset, end) for found in group], severity, painter)


def _windows(columns: list[int], marks: list[Mark]) -> Iterator[tuple[int, int, list[Mark]]]:
    """Yield which characters to show, and the marks among them."""
    last = len(columns) - 1
    if columns[-1] <= WIDEST:
        yield 0, last, marks
        return
    while marks:
        first = marks[0]
        start = _at_column(columns, max(0, columns[min(first.start, last)] - _LEAD))
        end = max(_at_column(columns, columns[start] + WIDEST), min(first.start + 1, last))
        group = [found for found in marks if found is first or found.end <= end]
        yield start, end, group
        marks = [found for found in marks if found not in group]


def _at_column(columns: list[int], column: int) -> int:
    """Return the last character that begins at *column* or before it."""
    return max(index for index, begin in enumerate(columns) if begin <= column)


class _Drawn:
    """A mark in columns of what is shown."""

    def __init__(self, found: Mark, columns: list[int], offset: int, last: int) -> None:
        self.mark = found
        self.start = _column(columns, found.start) - offset
        self.end = max(_column(columns, min(found.end, max(last, found.start + 1))) - offset, self.start + 1)


def _column(columns: list[int], index: int) -> int:
    """Return where character *index* begins; what lies past the line's end goes on in steps of one."""
    last = len(columns) - 1
    return columns[index] if index <= last else columns[last] + index - last


def _below(drawn: list[_Drawn], severity: Style, painter: Painter) -> Iterator[str]:
    """Yield the underlines with the last label beside them, then the other labels from right to left."""
    styles = {True: severity, False: Style.RELATED}
    order = [found for found in drawn if found.mark.text]
    beside = order[-1] if order and order[-1].end == max(found.end for found in drawn) else None
    line = _underlines(drawn, styles, painter)
    yield f"{line} {painter.paint(beside.mark.text, styles[beside.mark.is_primary])}" if beside else line
    hanging = [found for found in order if found is not beside]
    while hanging:
        found = hanging.pop()
        row, column = "", 0
        for other in hanging:
            if column <= other.start < found.start:
                row += " " * (other.start - column) + painter.paint("|", styles[other.mark.is_primary])
                column = other.start + 1
        text = painter.paint(found.mark.text, styles[found.mark.is_primary])
        yield row + " " * (found.start - column) + text


def _underlines(drawn: list[_Drawn], styles: dict[bool, Style], painter: Painter) -> str:
    """Return the row of underlines; where marks overlap, the primary one is seen."""
    row: list[bool | None] = [None] * max(found.end for found in drawn)
    for found in sorted(drawn, key=lambda found: found.mark.is_primary):
        row[found.start : found.end] = [found.mark.is_primary] * (found.end - found.start)
    painted, start = "", 0
    for index in range(1, len(row) + 1):
        if index == len(row) or row[index] != row[start]:
            length, kind = index - start, row[start]
            painted += " " * length if kind is None else painter.paint(("^" if kind else "-") * length, styles[kind])
            start = index
    return painted
