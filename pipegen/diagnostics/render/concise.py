"""Diagnostics, one on a line: `path:line:column: error[PG301] message`."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.diagnostics.model import Diagnostic
from pipegen.diagnostics.render.terminal import Painter, TextStyle, style_of
from pipegen.visible import visible


def render(diagnostics: Sequence[Diagnostic], *, colour: bool = False) -> str:
    """Return *diagnostics* in their order; one about no place has no path."""
    painter = Painter(colour)
    return "".join(f"{_line(found, painter)}\n" for found in diagnostics)


def _line(found: Diagnostic, painter: Painter) -> str:
    head = painter.paint(f"{found.severity.value}[{found.code.number}]", style_of(found.severity))
    if found.primary is None:
        return f"{head} {visible(found.message)}"
    first = found.primary.span.first
    place = f"{visible(found.primary.span.file.path)}:{first.line}:{first.column}:"
    return f"{painter.paint(place, TextStyle.STRONG)} {head} {visible(found.message)}"
