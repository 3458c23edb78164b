"""Whether a regular expression matches, in time linear in the length of the text.

Python's matcher backtracks, which takes exponential time with nested repetitions such as `(a+)+b`. This matcher maps
the set of all start positions of an atom to the set of its end positions. It reads the patterns that
`runs/input_patterns.py` and `regexes/subset.py` accept: anchors and characters, alternatives and repetitions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import repeat
from typing import TypeAlias

from pipegen.structs import MutableStruct

# From possible start positions in a text to possible end positions.
_Step: TypeAlias = Callable[[str, set[int]], set[int]]

_ATOM = r"\\x[0-9a-f]{2}|\\.|\[\^?(?:\\.|[^\]\\])+\]|."
_QUANTIFIER = r"(?:([*+?])|\{([0-9]+)(,?)([0-9]*)\})\??"
_COUNTS = {"*": (0, None), "+": (1, None), "?": (0, 1)}


def ends(pattern: str, text: str, starts: Iterable[int], flags: re.RegexFlag) -> set[int]:
    """Return the positions where a match of *pattern* that starts at one of *starts* may end."""
    return _steps(pattern, flags)(text, set(starts))


@lru_cache(maxsize=2000)
def _steps(pattern: str, flags: re.RegexFlag) -> _Step:
    """Return *pattern* as a function; the same patterns are matched with the texts of many events."""
    if pattern.startswith("(?i)"):
        pattern, flags = pattern[4:], flags | re.IGNORECASE
    return _Reader(pattern, flags).alternatives()


class _Reader(MutableStruct):
    """Reads a pattern from *at*."""

    pattern: str
    flags: re.RegexFlag
    at: int = 0

    def alternatives(self) -> _Step:
        branches = [self._sequence()]
        while self.pattern.startswith("|", self.at):
            self.at += 1
            branches.append(self._sequence())
        return (
            branches[0]
            if len(branches) == 1
            else lambda text, at: set().union(*(branch(text, at) for branch in branches))
        )

    def _sequence(self) -> _Step:
        atoms = list[_Step]()
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            atoms.append(self._repeated())

        def run(text: str, at: set[int]) -> set[int]:
            for atom in atoms:
                at = atom(text, at)
            return at

        return run

    def _repeated(self) -> _Step:
        atom = self._atom()
        counts = re.compile(_QUANTIFIER).match(self.pattern, self.at)
        if counts is None:
            return atom
        self.at = counts.end()
        sign, low, comma, high = counts.groups()
        minimum, maximum = _COUNTS[sign] if sign else (int(low), int(high or low) if high or not comma else None)
        return lambda text, at: _repeated(atom, text, at, minimum, maximum)

    def _atom(self) -> _Step:
        if self.pattern.startswith("(", self.at):
            self.at += 3 if self.pattern.startswith("(?:", self.at) else 1
            group = self.alternatives()
            self.at += 1
            return group
        token = re.compile(_ATOM, re.DOTALL).match(self.pattern, self.at)
        assert token is not None  # noqa: S101 - any character is an atom
        self.at = token.end()
        match token[0]:
            case "^":
                return lambda _, at: at & {0}
            case "$":
                return lambda text, at: at & {len(text)}
        fits = re.compile(token[0], self.flags).match
        return lambda text, at: {index + 1 for index in at if index < len(text) and fits(text, index)}


def _repeated(atom: _Step, text: str, at: set[int], minimum: int, maximum: int | None) -> set[int]:
    """Return where repetitions of *atom* from *at* may end, from *minimum* to *maximum* times; None is unlimited."""
    for _ in range(minimum):
        following = atom(text, at)
        if following == at:  # the atom matches nothing, or no position is left
            break
        at = following
    reached = new = at
    for _ in repeat(None) if maximum is None else range(maximum - minimum):
        new = atom(text, new) - reached
        if not new:
            break
        reached = reached | new
    return reached
