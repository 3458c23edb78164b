"""Regular expressions of parameters, in the subset that POSIX (`grep -E`), RE2 and Python read alike."""

from __future__ import annotations

import re

from pipegen.plan.regexes.match import ends
from pipegen.structs import Struct

# The most repetitions that POSIX guarantees.
_MAX_REPETITIONS = 255
_MAX_DEPTH = 50
_ESCAPABLE = ".[]\\()*+?{}|^$"
_INTERVAL = r"\{(?P<minimum>[0-9]{1,3})(?P<comma>,(?P<maximum>[0-9]{1,3})?)?\}"
# Python warns that the meaning of these may change.
_DOUBLED = ("--", "&&", "~~", "||")


class Incompatibility(Struct):
    """A part of a pattern, at position *at*, that engines read differently; *hint* is how to fix it."""

    at: int
    message: str
    hint: str


def _empty(at: int) -> Incompatibility:
    return Incompatibility(at, "an empty alternative", 'write "(…)?" for an optional part')


def matches(pattern: str, value: str) -> bool:
    """Return whether all of *value* matches, byte by byte, as in `grep -E` with the C locale."""
    octets = value.encode().decode("latin-1")
    return len(octets) in ends(pattern, octets, {0}, re.ASCII | re.DOTALL)


def first_incompatibility(pattern: str) -> Incompatibility | None:
    """Return the first part of *pattern* that engines read differently, or None."""
    return _Reader(pattern).read()


class _Reader:
    """Reads a pattern from left to right.

    *has_atom* is whether a repetition may follow, *is_empty* whether the current alternative is empty so far.
    """

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.open: list[int] = []
        self.has_atom = False
        self.is_repeated = False
        self.is_empty = True

    def read(self) -> Incompatibility | None:
        invalid = re.search(r"[^ -~]", self.pattern)
        if invalid is not None:
            return Incompatibility(
                invalid.start(), "a character that is not printable ASCII", 'write "." for any character'
            )
        while self.at < len(self.pattern):
            problem = self._next()
            if problem is not None:
                return problem
        if self.open:
            return Incompatibility(self.open[-1], "a parenthesis that is not closed", r'close it, or write "\("')
        return _empty(max(len(self.pattern) - 1, 0)) if self.is_empty else None

    def _next(self) -> Incompatibility | None:
        character = self.pattern[self.at]
        if character in "}]":
            return Incompatibility(self.at, f'a "{character}" that closes nothing', f'write "\\{character}"')
        readers = {
            "\\": self._escape,
            "[": self._bracket,
            **dict.fromkeys("()|", self._group),
            **dict.fromkeys("*+?{", self._repetition),
            **dict.fromkeys("^$", self._anchor),
        }
        reader = readers.get(character)
        if reader is not None:
            return reader(character)
        self._advance(1, is_atom=True)
        return None

    def _advance(self, length: int, *, is_atom: bool) -> None:
        self.at += length
        self.has_atom, self.is_repeated, self.is_empty = is_atom, False, not is_atom

    def _escape(self, character: str) -> Incompatibility | None:
        following = self.pattern[self.at + 1 : self.at + 2]
        if not following or following not in _ESCAPABLE:
            hint = {"d": 'write "[0-9]"', "w": 'write "[A-Za-z0-9_]"', "s": 'write "[ ]"'}.get(following)
            return Incompatibility(self.at, f'"{character}{following}"', hint or "escape only special characters")
        self._advance(2, is_atom=True)
        return None

    def _anchor(self, character: str) -> Incompatibility | None:
        position = 0 if character == "^" else len(self.pattern) - 1
        if self.at != position:
            return Incompatibility(
                self.at, f'"{character}" inside the pattern', f'write "\\{character}" for the character'
            )
        self.at += 1
        return None

    def _group(self, character: str) -> Incompatibility | None:
        if character == "(" and self.pattern[self.at + 1 : self.at + 2] == "?":
            return Incompatibility(self.at, '"(?"', 'write a plain group: "(…)"')
        if character == ")" and not self.open:
            return Incompatibility(self.at, "a parenthesis that was not opened", r'write "\)"')
        if character != "(" and self.is_empty:
            return _empty(self.at)
        if character == "(":
            if len(self.open) == _MAX_DEPTH:
                return Incompatibility(self.at, f"more than {_MAX_DEPTH} nested groups", "write fewer groups")
            self.open.append(self.at)
        elif character == ")":
            self.open.pop()
        self._advance(1, is_atom=character == ")")
        return None

    def _repetition(self, character: str) -> Incompatibility | None:
        length = 1
        if character == "{":
            interval = re.compile(_INTERVAL).match(self.pattern, self.at)
            if interval is None:
                return Incompatibility(self.at, 'a "{" without a number of repetitions', r'write "\{"')
            minimum, maximum = int(interval["minimum"]), int(interval["maximum"] or interval["minimum"])
            if not minimum <= maximum <= _MAX_REPETITIONS:
                return Incompatibility(
                    self.at, f'"{interval[0]}"', f"write up to {_MAX_REPETITIONS}, in ascending order"
                )
            length = len(interval[0])
        if self.is_repeated:
            return Incompatibility(self.at, f'"{character}" after another repetition', "remove one of the two")
        if not self.has_atom:
            return Incompatibility(
                self.at, f'"{character}" with nothing to repeat', f'write "\\{character}" for the character'
            )
        self.at += length
        self.has_atom, self.is_repeated = False, True
        return None

    def _bracket(self, character: str) -> Incompatibility | None:
        start = self.at + (2 if self.pattern.startswith("[^", self.at) else 1)
        end = self.pattern.find("]", start + 1)
        if end < 0:
            return Incompatibility(self.at, f'a "{character}" that is not closed', r'close it, or write "\["')
        inside = self.pattern[start:end]
        problem = _bracket_incompatibility(inside, start)
        self._advance(end + 1 - self.at, is_atom=True)
        return problem


def _bracket_incompatibility(inside: str, start: int) -> Incompatibility | None:
    """Return the first incompatibility in the text between brackets, which starts at *start*."""
    for at, character in enumerate(inside):
        if character in "\\[]":
            hint = "write the characters themselves, such as [A-Za-z0-9_], and brackets outside"
            return Incompatibility(start + at, f'"{character}" between brackets', hint)
        if inside[at : at + 2] in _DOUBLED:
            return Incompatibility(start + at, f'"{inside[at : at + 2]}" between brackets', "write the character once")
    at = 0
    while at < len(inside):
        if inside[at + 1 : at + 2] != "-" or at + 2 >= len(inside):
            at += 1
            continue
        first, last = inside[at], inside[at + 2]
        if first > last or (inside[at + 3 : at + 4] == "-" and at + 4 < len(inside)):
            return Incompatibility(start + at, f'"{inside[at : at + 4]}" between brackets', 'put a literal "-" last')
        at += 3
    return None
