"""Text on a terminal: widths and colours."""

from __future__ import annotations

import unicodedata
from enum import Enum

from pipegen.diagnostics.model import Severity
from pipegen.structs import Struct
from pipegen.visible import visible

TAB = 4


class TextStyle(Enum):
    """How a part of a rendering looks: the parameters of the terminal's SGR sequence."""

    ERROR = "1;31"
    WARNING = "1;33"
    INFO = "1;36"
    # The frame, and related labels.
    ASIDE = "1;34"
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


def cells(line: str) -> tuple[list[str], list[int]]:
    """Return the text for each character of *line*, and the column where each begins; the last is the end's column."""
    shown, columns = [], [0]
    for character in line:
        text = " " * (TAB - columns[-1] % TAB) if character == "\t" else visible(character)
        shown.append(text)
        columns.append(columns[-1] + width(text))
    return shown, columns


def width(text: str) -> int:
    """Return the number of columns of *text*."""
    if text.isascii():
        return len(text)
    return sum(_width(character) for character in text)


def _width(character: str) -> int:
    if unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1
