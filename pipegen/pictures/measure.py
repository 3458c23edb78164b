"""How wide text is in a font that is not known: rather too much than too little."""

from __future__ import annotations

import unicodedata
from math import fsum

from pipegen.graph.render.columns import columns, shortened
from pipegen.visible import visible

# Shares of the font's size, as the widest of usual system fonts have them in a heavy weight.
_NARROW, _WIDE, _CAPITAL, _USUAL, _FULL = 0.38, 1.0, 0.74, 0.64, 1.05
_NARROW_CHARACTERS, _WIDE_CHARACTERS = frozenset("fijlrtI.,:;'|!()[]{} "), frozenset("mwMW@%—…+=<>~")
# Names take no more columns than this; the rest is in their middle.
_LONGEST = 32


def box_label(name: str) -> str:
    """Return *name* as a box shows it."""
    return shortened(visible(name), _LONGEST)


def width(text: str, size: float) -> float:
    """Return how wide *text* is at most, at the font *size*: to the bit the same with every Python, as sum() is not."""
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
