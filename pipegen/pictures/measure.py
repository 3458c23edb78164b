"""The width of text in an unknown font: an upper estimate."""

from __future__ import annotations

import unicodedata
from math import fsum

from pipegen.graph.render.columns import columns, shortened
from pipegen.visible import visible

# Widths relative to the font size, from the widest usual system fonts in a heavy weight.
_NARROW, _WIDE, _CAPITAL, _USUAL, _FULL = 0.38, 1.0, 0.74, 0.64, 1.05
_NARROW_CHARACTERS, _WIDE_CHARACTERS = frozenset("fijlrtI.,:;'|!()[]{} "), frozenset("mwMW@%—…+=<>~")
# Longer names are shortened in the middle.
_LONGEST = 32


def box_label(name: str) -> str:
    """Return *name* as the label of a box."""
    return shortened(visible(name), _LONGEST)


def width(text: str, size: float) -> float:
    """Return the maximum width of *text* at the font *size*; unlike sum(), the same to the bit in every Python."""
    return fsum(map(_share, text)) * size


def _share(char: str) -> float:
    if char in _NARROW_CHARACTERS:
        return _NARROW
    if char in _WIDE_CHARACTERS:
        return _WIDE
    if char.isascii():
        return _CAPITAL if char.isupper() or char.isdigit() else _USUAL
    if unicodedata.east_asian_width(char) in "WF":
        return _FULL
    return columns(char) * _CAPITAL
