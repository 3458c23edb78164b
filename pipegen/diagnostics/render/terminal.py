"""The columns of text on a terminal."""

from __future__ import annotations

import unicodedata

from pipegen.visible import visible

TAB = 4


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
