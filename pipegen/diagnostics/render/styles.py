"""Styles of text on a terminal."""

from __future__ import annotations

from enum import Enum

from pipegen.diagnostics.model import Severity
from pipegen.structs import Struct


class TextStyle(Enum):
    """How a part of a rendering looks: the parameters of the terminal's SGR sequence."""

    ERROR = "1;31"
    WARNING = "1;33"
    INFO = "1;36"
    # The border with line numbers, and related labels.
    SECONDARY = "1;34"
    STRONG = "1"
    FAINT = "2"
    ADDED = "32"
    REMOVED = "31"
    CHANGED = "33"


class Painter(Struct):
    """Colours text if *colour* is true."""

    colour: bool

    def paint(self, text: str, style: TextStyle) -> str:
        """Return *text* in *style*."""
        return f"\x1b[{style.value}m{text}\x1b[0m" if self.colour and text else text


def style_of(severity: Severity) -> TextStyle:
    """Return the style of *severity*."""
    return TextStyle[severity.name]
