"""Diagnostics, one per line: `path:line:column: error[PG301] message`."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.diagnostics.model import Diagnostic
from pipegen.diagnostics.render.styles import Painter, TextStyle, style_of
from pipegen.visible import visible


def render(diagnostics: Sequence[Diagnostic], *, colour: bool = False) -> str:
    """Return *diagnostics* in order; one without a location has no path."""
    painter = Painter(colour)
    return "".join(f"{_line(diagnostic, painter)}\n" for diagnostic in diagnostics)


def _line(diagnostic: Diagnostic, painter: Painter) -> str:
    head = painter.paint(f"{diagnostic.severity.value}[{diagnostic.code.number}]", style_of(diagnostic.severity))
    if diagnostic.primary is None:
        return f"{head} {visible(diagnostic.message)}"
    first = diagnostic.primary.span.first
    location = f"{visible(diagnostic.primary.span.file.path)}:{first.line}:{first.column}:"
    return f"{painter.paint(location, TextStyle.STRONG)} {head} {visible(diagnostic.message)}"
