"""Diagnostics for people: the message, the source with its labels, the hint.

error[PG301]: arc names stage "tset", which is not defined
 --> pipegen.yaml:5:14
  |
3 |   test: pytest
  |   ---- did you mean this one?
5 |   - build -> tset
  |              ^^^^ no such stage
  = hint: rename it to "test", or add a stage "tset"
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from pipegen.diagnostics.model import Diagnostic, Severity
from pipegen.diagnostics.render.snippet import LabelMark, mark, rows
from pipegen.diagnostics.render.styles import Painter, TextStyle, style_of
from pipegen.source.text import SourceFile
from pipegen.visible import visible

_Group = tuple[SourceFile, list[LabelMark]]


def render(diagnostics: Sequence[Diagnostic], *, colour: bool = False) -> str:
    """Return *diagnostics* in order with a blank line after each, then their number by severity."""
    if not diagnostics:
        return ""
    painter = Painter(colour)
    blocks = ["\n".join(_block(diagnostic, painter)) for diagnostic in diagnostics]
    return "\n\n".join([*blocks, _summary(diagnostics, painter)]) + "\n"


def _summary(diagnostics: Sequence[Diagnostic], painter: Painter) -> str:
    """Return "2 errors, 1 warning", without severities that do not occur."""
    numbers = Counter(diagnostic.severity for diagnostic in diagnostics)
    present = [severity for severity in Severity if numbers[severity]]
    words = [f"{numbers[severity]} {severity.value}{'s' if numbers[severity] > 1 else ''}" for severity in present]
    return painter.paint(", ".join(words), style_of(present[0]))


def _block(diagnostic: Diagnostic, painter: Painter) -> Iterator[str]:
    style = style_of(diagnostic.severity)
    head = painter.paint(f"{diagnostic.severity.value}[{diagnostic.code.number}]", style)
    yield f"{head}{painter.paint(f': {visible(diagnostic.message)}', TextStyle.STRONG)}"
    groups = _by_file(diagnostic)
    gutter = len(str(max((diagnostic.line for _, marks in groups for diagnostic in marks), default=1)))
    for index, (file, marks) in enumerate(groups):
        arrow = painter.paint(f"{' ' * gutter}{':::' if index else '-->'}", TextStyle.SECONDARY)
        yield f"{arrow} {visible(file.path)}:{marks[0].line}:{marks[0].start + 1}"
        yield painter.paint(f"{' ' * gutter} |", TextStyle.SECONDARY)
        yield from _source(file, marks, gutter, painter)
    if diagnostic.hint is not None:
        yield from _hint(diagnostic.hint, gutter, painter)
    if diagnostic.fix is not None:
        title = visible(diagnostic.fix.title)
        yield f"{_margin(gutter, painter)} {painter.paint('fix', TextStyle.STRONG)}: --fix {title}"


def _by_file(diagnostic: Diagnostic) -> list[_Group]:
    """Return the marks of each file; the primary label and its file come first."""
    if diagnostic.primary is None:
        return []
    groups: dict[str, _Group] = {}
    labels = [
        (diagnostic.primary, style_of(diagnostic.severity)),
        *((label, TextStyle.SECONDARY) for label in diagnostic.related),
    ]
    for label, style in labels:
        file = label.span.file
        groups.setdefault(file.path, (file, []))[1].append(mark(label, style))
    return list(groups.values())


def _source(file: SourceFile, marks: list[LabelMark], gutter: int, painter: Painter) -> Iterator[str]:
    """Yield the marked lines in order, with "..." where more than one line between them is omitted."""
    previous = None
    for number, group in groupby(
        sorted(marks, key=lambda label_mark: label_mark.line), key=lambda label_mark: label_mark.line
    ):
        if previous is not None and number - previous > 2:  # noqa: PLR2004 - one omitted line needs no sign
            yield painter.paint("...", TextStyle.SECONDARY)
        previous = number
        for row in rows(file.line(number), list(group), painter):
            margin = painter.paint(f"{number if row.is_source else '':>{gutter}} |", TextStyle.SECONDARY)
            yield f"{margin} {row.text}".rstrip()


def _hint(hint: str, gutter: int, painter: Painter) -> Iterator[str]:
    """Yield the hint; further lines are indented below the first."""
    first, *more = hint.split("\n")
    yield f"{_margin(gutter, painter)} {painter.paint('hint', TextStyle.STRONG)}: {visible(first)}"
    yield from (f"{' ' * (gutter + len(' = hint: '))}{visible(line)}".rstrip() for line in more)


def _margin(gutter: int, painter: Painter) -> str:
    return painter.paint(f"{' ' * gutter} =", TextStyle.SECONDARY)
