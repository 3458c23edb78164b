"""A line of source with its labels underneath."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipegen.diagnostics.model import Label
from pipegen.diagnostics.render.terminal import Painter, TextStyle, cells
from pipegen.structs import Struct
from pipegen.visible import visible

# A line with more characters is shown in part.
WIDEST = 120
# How much of a clipped line is shown in front of what is marked.
_LEAD = 20
_CUT = "…"


class LabelMark(Struct):
    """A label on one line: from *start* to *end*, from 0, at least one wide; in characters, or in columns."""

    line: int
    start: int
    end: int
    text: str
    style: TextStyle


class SnippetRow(Struct):
    """A row of a rendering; *is_source* tells lines of the file from what is said about them."""

    text: str
    is_source: bool


def mark(label: Label, style: TextStyle) -> LabelMark:
    """Return the mark of *label*: of several lines it marks the first, up to its last visible character."""
    first, last = label.span.first, label.span.last
    line = label.span.file.line(first.line)
    end = last.column - 1 if last.line == first.line else len(line.rstrip())
    start = first.column - 1
    return LabelMark(first.line, start, max(min(end, len(line)), start + 1), visible(label.text), style)


def rows(line: str, marks: Sequence[LabelMark], painter: Painter) -> Iterator[SnippetRow]:
    """Yield *line*, then its marks; a line too long to show all of them at once comes again."""
    for start, end, group in _windows(len(line), sorted(marks, key=_order)):
        before, after = _CUT if start else "", _CUT if end < len(line) else ""
        shown, columns = cells(line[start:end])
        yield SnippetRow(before + "".join(shown) + after, is_source=True)
        drawn = [_in_columns(found, columns, start, len(before)) for found in group]
        yield from (SnippetRow(text, is_source=False) for text in _below(drawn, painter))


def _order(found: LabelMark) -> tuple[int, int, bool]:
    """Return what to sort marks by; the primary one is the last of equals, so that its words stand beside it."""
    return found.start, found.end, found.style is not TextStyle.ASIDE


def _windows(length: int, marks: list[LabelMark]) -> Iterator[tuple[int, int, list[LabelMark]]]:
    """Yield which characters to show, and the marks among them."""
    if length <= WIDEST:
        yield 0, length, marks
        return
    while marks:
        start = max(0, min(marks[0].start - _LEAD, length - WIDEST))
        end = min(start + WIDEST, length)
        yield start, end, [marks[0], *(found for found in marks[1:] if found.end <= end)]
        marks = [found for found in marks[1:] if found.end > end]


def _in_columns(found: LabelMark, columns: list[int], start: int, before: int) -> LabelMark:
    """Return *found* in columns of the characters that are shown, the first of which is number *start*."""
    last = len(columns) - 1
    first = found.start - start
    # Past the end of the line a mark still takes a column.
    begin = columns[min(first, last)] + max(0, first - last) + before
    end = columns[min(found.end - start, last)] + before
    return LabelMark(found.line, begin, max(end, begin + 1), found.text, found.style)


def _below(marks: list[LabelMark], painter: Painter) -> Iterator[str]:
    """Yield the underlines with the last label beside them, then the other labels from right to left."""
    labelled = [found for found in marks if found.text]
    beside = labelled[-1] if labelled and labelled[-1].end == max(found.end for found in marks) else None
    underlines = _underlines(marks, painter)
    yield f"{underlines} {painter.paint(beside.text, beside.style)}" if beside else underlines
    hanging = [found for found in labelled if found is not beside]
    while hanging:
        found = hanging.pop()
        yield _connectors(hanging, found.start, painter) + painter.paint(found.text, found.style)


def _connectors(marks: list[LabelMark], end: int, painter: Painter) -> str:
    """Return the row up to column *end*, with a line down to each label that is still to come."""
    row, column = "", 0
    for found in marks:
        if column <= found.start < end:
            row += " " * (found.start - column) + painter.paint("|", found.style)
            column = found.start + 1
    return row + " " * (end - column)


def _underlines(marks: list[LabelMark], painter: Painter) -> str:
    """Return the row of underlines; where marks overlap, the primary one is seen."""
    row: list[TextStyle | None] = [None] * max(found.end for found in marks)
    for found in sorted(marks, key=lambda found: found.style is not TextStyle.ASIDE):
        row[found.start : found.end] = [found.style] * (found.end - found.start)
    painted, start = "", 0
    for index in range(1, len(row) + 1):
        if index == len(row) or row[index] is not row[start]:
            painted += _underline(index - start, row[start], painter)
            start = index
    return painted


def _underline(length: int, style: TextStyle | None, painter: Painter) -> str:
    if style is None:
        return " " * length
    return painter.paint(("-" if style is TextStyle.ASIDE else "^") * length, style)
