"""Text that a terminal shows as it is: widths, control characters, colours."""

from __future__ import annotations

import unicodedata
from enum import Enum

from pipegen.diagnostics.model import Severity
from pipegen.patterns import rare_pattern
from pipegen.structs import Struct

TAB = 4

# All of most texts: shown as it is.
_PLAIN = rare_pattern("[ -~]*")
_CONTROL_PICTURES = 0x2400
_DELETE = 0x7F
# Joiners are part of words and emoji; all other format characters could reorder or hide text.
_JOINERS = "\u200c\u200d"
_INVISIBLE = {"Cc", "Cf", "Cs", "Zl", "Zp"}


class Style(Enum):
    """How a part of a rendering looks: the parameters of the terminal's SGR sequence."""

    ERROR = "1;31"
    WARNING = "1;33"
    INFO = "1;36"
    # The frame, and related labels.
    ASIDE = "1;34"
    STRONG = "1"


class Painter(Struct):
    """Colours text, or leaves it alone."""

    colour: bool

    def paint(self, text: str, style: Style) -> str:
        """Return *text* in *style*."""
        return f"\x1b[{style.value}m{text}\x1b[0m" if self.colour and text else text


def style_of(severity: Severity) -> Style:
    """Return the style of *severity*."""
    return Style[severity.name]


def safe(text: str) -> str:
    """Return *text* on one line, with characters that steer a terminal made visible."""
    return text if _PLAIN.fullmatch(text) else "".join(_visible(character) for character in text)


def cells(line: str) -> tuple[list[str], list[int]]:
    """Return what to show for each character of *line*, and the column where each begins; the end's column is last."""
    shown, columns = [], [0]
    for character in line:
        text = " " * (TAB - columns[-1] % TAB) if character == "\t" else _visible(character)
        shown.append(text)
        columns.append(columns[-1] + width(text))
    return shown, columns


def width(text: str) -> int:
    """Return how many columns *text* takes."""
    if text.isascii():
        return len(text)
    return sum(_width(character) for character in text)


def _width(character: str) -> int:
    if unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1


def _visible(character: str) -> str:
    if " " <= character <= "~" or unicodedata.category(character) not in _INVISIBLE or character in _JOINERS:
        return character
    number = ord(character)
    if number < ord(" "):
        return chr(_CONTROL_PICTURES + number)
    return "\u2421" if number == _DELETE else f"<U+{number:04X}>"
