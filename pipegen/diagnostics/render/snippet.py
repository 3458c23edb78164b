"""A line of source with its labels underneath."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

from pipegen.diagnostics.model import Label
from pipegen.diagnostics.render.styles import Painter, TextStyle
from pipegen.structs import Struct
from pipegen.visible import visible

# Longer lines are clipped.
_WIDEST = 120
# The number of characters of a clipped line before the first mark.
_LEAD = 20
_CUT = "…"
_TAB = 4


class LabelMark(Struct):
    """A label on one line from *start* to *end*, from 0, at least one wide; in characters or in columns."""

    line: int
    start: int
    end: int
    text: str
    style: TextStyle


class SnippetRow(Struct):
    """A row of a rendering: a line of the file if *is_source*, else marks and labels."""

    text: str
    is_source: bool


def mark(label: Label, style: TextStyle) -> LabelMark:
    """Return the mark of *label*; of several lines, it marks the first up to its last visible character."""
    first, last = label.span.first, label.span.last
    line = label.span.file.line(first.line)
    end = last.column - 1 if last.line == first.line else len(line.rstrip())
    start = first.column - 1
    return LabelMark(first.line, start, max(min(end, len(line)), start + 1), visible(label.text), style)


def rows(line: str, marks: Sequence[LabelMark], painter: Painter) -> Iterator[SnippetRow]:
    """Yield *line*, then its marks; a line that is too long for all marks is repeated."""
    for start, end, group in _windows(len(line), sorted(marks, key=_order)):
        before, after = _CUT if start else "", _CUT if end < len(line) else ""
        shown, columns = _cells(line[start:end])
        yield SnippetRow(before + "".join(shown) + after, is_source=True)
        marks_in_columns = [_in_columns(label_mark, columns, start, len(before)) for label_mark in group]
        yield from (SnippetRow(text, is_source=False) for text in _below(marks_in_columns, painter))


def _order(label_mark: LabelMark) -> tuple[int, int, bool]:
    """Return the sort key of a mark; the primary one is the last of equals, so that its text is next to it."""
    return label_mark.start, label_mark.end, label_mark.style is not TextStyle.SECONDARY


def _windows(length: int, marks: list[LabelMark]) -> Iterator[tuple[int, int, list[LabelMark]]]:
    """Yield the ranges of characters to show, with their marks."""
    if length <= _WIDEST:
        yield 0, length, marks
        return
    while marks:
        start = max(0, min(marks[0].start - _LEAD, length - _WIDEST))
        end = min(start + _WIDEST, length)
        yield start, end, [marks[0], *(label_mark for label_mark in marks[1:] if label_mark.end <= end)]
        marks = [label_mark for label_mark in marks[1:] if label_mark.end > end]


def _in_columns(label_mark: LabelMark, columns: list[int], start: int, prefix_width: int) -> LabelMark:
    """Return *label_mark* in columns of the shown characters, which begin with number *start*."""
    last = len(columns) - 1
    first = label_mark.start - start
    # A mark after the end of the line still takes a column.
    begin = columns[min(first, last)] + max(0, first - last) + prefix_width
    end = columns[min(label_mark.end - start, last)] + prefix_width
    return LabelMark(label_mark.line, begin, max(end, begin + 1), label_mark.text, label_mark.style)


def _below(marks: list[LabelMark], painter: Painter) -> Iterator[str]:
    """Yield the underlines with the last label next to them, then the other labels from right to left."""
    labelled = [label_mark for label_mark in marks if label_mark.text]
    inline = labelled[-1] if labelled and labelled[-1].end == max(label_mark.end for label_mark in marks) else None
    underlines = _underlines(marks, painter)
    yield f"{underlines} {painter.paint(inline.text, inline.style)}" if inline else underlines
    remaining = [label_mark for label_mark in labelled if label_mark is not inline]
    while remaining:
        label_mark = remaining.pop()
        yield _connectors(remaining, label_mark.start, painter) + painter.paint(label_mark.text, label_mark.style)


def _connectors(marks: list[LabelMark], end: int, painter: Painter) -> str:
    """Return the row up to column *end*, with a line down to each remaining label."""
    row, column = "", 0
    for label_mark in marks:
        if column <= label_mark.start < end:
            row += " " * (label_mark.start - column) + painter.paint("|", label_mark.style)
            column = label_mark.start + 1
    return row + " " * (end - column)


def _underlines(marks: list[LabelMark], painter: Painter) -> str:
    """Return the row of underlines; where marks overlap, the primary one is shown."""
    row: list[TextStyle | None] = [None] * max(label_mark.end for label_mark in marks)
    for label_mark in sorted(marks, key=lambda label_mark: label_mark.style is not TextStyle.SECONDARY):
        row[label_mark.start : label_mark.end] = [label_mark.style] * (label_mark.end - label_mark.start)
    painted, start = "", 0
    for index in range(1, len(row) + 1):
        if index == len(row) or row[index] is not row[start]:
            painted += _underline(index - start, row[start], painter)
            start = index
    return painted


def _underline(length: int, style: TextStyle | None, painter: Painter) -> str:
    if style is None:
        return " " * length
    return painter.paint(("-" if style is TextStyle.SECONDARY else "^") * length, style)


def _cells(line: str) -> tuple[list[str], list[int]]:
    """Return the text for each character of *line*, and the column where each begins; the last is the end's column."""
    if line.isascii() and line.isprintable():
        return list(line), list(range(len(line) + 1))
    shown, columns = [], [0]
    for character in line:
        text = " " * (_TAB - columns[-1] % _TAB) if character == "\t" else visible(character)
        shown.append(text)
        columns.append(columns[-1] + _text_width(text))
    return shown, columns


def _text_width(text: str) -> int:
    """Return the number of columns of *text*."""
    if text.isascii():
        return len(text)
    return sum(_character_width(character) for character in text)


def _character_width(character: str) -> int:
    if unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1
