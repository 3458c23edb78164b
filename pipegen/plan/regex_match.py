"""Whether a regular expression matches, in a time that goes with the length of the text whatever the expression is.

Python's own matcher goes back and tries again, for ages where repetitions stand inside each other: `(a+)+b`. This one
goes from all places where an atom may begin to all places where it may end. It reads what `input_patterns.py` and
`regex.py` let through, which holds nothing but places and characters, alternatives and repetitions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import repeat
from typing import TypeAlias

from pipegen.structs import MutableStruct

# From places of a text where something may begin to those where it may end.
_Step: TypeAlias = Callable[[str, set[int]], set[int]]

_ATOM = re.compile(r"\\x[0-9a-f]{2}|\\.|\[\^?(?:\\.|[^\]\\])+\]|.", re.DOTALL)
_QUANTIFIER = re.compile(r"(?:([*+?])|\{([0-9]+)(,?)([0-9]*)\})\??")
_COUNTS = {"*": (0, None), "+": (1, None), "?": (0, 1)}


def ends(pattern: str, text: str, starts: Iterable[int], flags: re.RegexFlag) -> set[int]:
    """Return where a match of *pattern* may end that begins at one of *starts*; empty where there is none."""
    if pattern.startswith("(?i)"):
        pattern, flags = pattern[4:], flags | re.IGNORECASE
    return _Reader(pattern, flags).alternatives()(text, set(starts))


class _Reader(MutableStruct):
    """Reads a pattern from *at* on."""

    pattern: str
    flags: re.RegexFlag
    at: int = 0

    def alternatives(self) -> _Step:
        found = [self._sequence()]
        while self.pattern.startswith("|", self.at):
            self.at += 1
            found.append(self._sequence())
        return found[0] if len(found) == 1 else lambda text, at: set().union(*(one(text, at) for one in found))

    def _sequence(self) -> _Step:
        found = list[_Step]()
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            found.append(self._repeated())

        def run(text: str, at: set[int]) -> set[int]:
            for one in found:
                at = one(text, at)
            return at

        return run

    def _repeated(self) -> _Step:
        one = self._atom()
        counts = _QUANTIFIER.match(self.pattern, self.at)
        if counts is None:
            return one
        self.at = counts.end()
        sign, low, comma, high = counts.groups()
        least, most = _COUNTS[sign] if sign else (int(low), int(high or low) if high or not comma else None)
        return lambda text, at: _repeated(one, text, at, least, most)

    def _atom(self) -> _Step:
        if self.pattern.startswith("(", self.at):
            self.at += 3 if self.pattern.startswith("(?:", self.at) else 1
            inner = self.alternatives()
            self.at += 1
            return inner
        found = _ATOM.match(self.pattern, self.at)
        assert found is not None  # noqa: S101 - a place in the pattern, and any character is an atom
        self.at = found.end()
        match found[0]:
            case "^":
                return lambda _, at: at & {0}
            case "$":
                return lambda text, at: at & {len(text)}
        fits = re.compile(found[0], self.flags).match
        return lambda text, at: {place + 1 for place in at if place < len(text) and fits(text, place)}


def _repeated(one: _Step, text: str, at: set[int], least: int, most: int | None) -> set[int]:
    """Return where *one* may end that is repeated from *at* on, from *least* to *most* times or without end."""
    for _ in range(least):
        following = one(text, at)
        if following == at:  # it may match nothing, or nothing is left
            break
        at = following
    found = new = at
    for _ in repeat(None) if most is None else range(most - least):
        new = one(text, new) - found
        if not new:
            break
        found = found | new
    return found
