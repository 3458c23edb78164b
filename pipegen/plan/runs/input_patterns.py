"""Regular expressions of parameters: what POSIX (`grep -E`), RE2 and Python read alike."""

from __future__ import annotations

import re

from pipegen.plan.regex_match import ends
from pipegen.structs import Struct

# POSIX promises no more repetitions.
_MOST = 255
_DEEPEST = 50
_ESCAPABLE = ".[]\\()*+?{}|^$"
_INTERVAL = re.compile(r"\{(?P<least>[0-9]{1,3})(?P<comma>,(?P<most>[0-9]{1,3})?)?\}")
# Of these, Python warns that they may mean something else one day.
_DOUBLED = ("--", "&&", "~~", "||")


class PatternMismatch(Struct):
    """What engines read differently, at a place of a pattern; *advice* says what to write."""

    at: int
    what: str
    advice: str


def _empty(at: int) -> PatternMismatch:
    return PatternMismatch(at, "an empty alternative", 'write "(…)?" for what may be left out')


def matches(pattern: str, value: str) -> bool:
    """Return whether all of *value* matches, byte by byte, as `grep -E` sees it in the C locale."""
    octets = value.encode().decode("latin-1")
    return len(octets) in ends(pattern, octets, {0}, re.ASCII | re.DOTALL)


def misread(pattern: str) -> PatternMismatch | None:
    """Return the first thing in *pattern* that engines do not read alike, None when they do."""
    return _Reader(pattern).read()


class _Reader:
    """Reads a pattern from left to right.

    *has_atom* says that a repetition may follow, *is_empty* that the alternative has nothing in it yet.
    """

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.open: list[int] = []
        self.has_atom = False
        self.is_repeated = False
        self.is_empty = True

    def read(self) -> PatternMismatch | None:
        odd = re.search(r"[^ -~]", self.pattern)
        if odd is not None:
            return PatternMismatch(
                odd.start(), "a character that is not printable ASCII", 'write "." for any character'
            )
        while self.at < len(self.pattern):
            found = self._next()
            if found is not None:
                return found
        if self.open:
            return PatternMismatch(self.open[-1], "a parenthesis that is not closed", r'close it, or write "\("')
        return _empty(max(len(self.pattern) - 1, 0)) if self.is_empty else None

    def _next(self) -> PatternMismatch | None:
        character = self.pattern[self.at]
        if character in "}]":
            return PatternMismatch(self.at, f'a "{character}" that closes nothing', f'write "\\{character}"')
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
        self._took(1, is_atom=True)
        return None

    def _took(self, length: int, *, is_atom: bool) -> None:
        self.at += length
        self.has_atom, self.is_repeated, self.is_empty = is_atom, False, not is_atom

    def _escape(self, character: str) -> PatternMismatch | None:
        following = self.pattern[self.at + 1 : self.at + 2]
        if not following or following not in _ESCAPABLE:
            advice = {"d": 'write "[0-9]"', "w": 'write "[A-Za-z0-9_]"', "s": 'write "[ ]"'}.get(following)
            return PatternMismatch(
                self.at, f'"{character}{following}"', advice or "escape nothing but punctuation that has a meaning"
            )
        self._took(2, is_atom=True)
        return None

    def _anchor(self, character: str) -> PatternMismatch | None:
        place = 0 if character == "^" else len(self.pattern) - 1
        if self.at != place:
            return PatternMismatch(
                self.at, f'"{character}" inside of the pattern', f'write "\\{character}" for the character'
            )
        self.at += 1
        return None

    def _group(self, character: str) -> PatternMismatch | None:
        if character == "(" and self.pattern[self.at + 1 : self.at + 2] == "?":
            return PatternMismatch(self.at, '"(?"', 'write a plain group: "(…)"')
        if character == ")" and not self.open:
            return PatternMismatch(self.at, "a parenthesis that was not opened", r'write "\)"')
        if character != "(" and self.is_empty:
            return _empty(self.at)
        if character == "(":
            if len(self.open) == _DEEPEST:
                return PatternMismatch(self.at, f"more than {_DEEPEST} groups inside each other", "write fewer groups")
            self.open.append(self.at)
        elif character == ")":
            self.open.pop()
        self._took(1, is_atom=character == ")")
        return None

    def _repetition(self, character: str) -> PatternMismatch | None:
        length = 1
        if character == "{":
            interval = _INTERVAL.match(self.pattern, self.at)
            if interval is None:
                return PatternMismatch(self.at, 'a "{" that begins no number of repetitions', r'write "\{"')
            least, most = int(interval["least"]), int(interval["most"] or interval["least"])
            if not least <= most <= _MOST:
                return PatternMismatch(self.at, f'"{interval[0]}"', f"write {_MOST} at most, the smaller number first")
            length = len(interval[0])
        if self.is_repeated:
            return PatternMismatch(self.at, f'"{character}" behind another repetition', "leave one of the two out")
        if not self.has_atom:
            return PatternMismatch(
                self.at, f'"{character}" with nothing to repeat', f'write "\\{character}" for the character'
            )
        self.at += length
        self.has_atom, self.is_repeated = False, True
        return None

    def _bracket(self, character: str) -> PatternMismatch | None:
        start = self.at + (2 if self.pattern.startswith("[^", self.at) else 1)
        end = self.pattern.find("]", start + 1)
        if end < 0:
            return PatternMismatch(self.at, f'a "{character}" that is not closed', r'close it, or write "\["')
        inside = self.pattern[start:end]
        found = _misread_bracket(inside, start)
        self._took(end + 1 - self.at, is_atom=True)
        return found


def _misread_bracket(inside: str, start: int) -> PatternMismatch | None:
    """Return what engines read differently in the text between brackets, which begins at *start*."""
    for at, character in enumerate(inside):
        if character in "\\[]":
            advice = "write the characters themselves, such as [A-Za-z0-9_], and brackets outside"
            return PatternMismatch(start + at, f'"{character}" between brackets', advice)
        if inside[at : at + 2] in _DOUBLED:
            return PatternMismatch(start + at, f'"{inside[at : at + 2]}" between brackets', "write the character once")
    at = 0
    while at < len(inside):
        if inside[at + 1 : at + 2] != "-" or at + 2 >= len(inside):
            at += 1
            continue
        first, last = inside[at], inside[at + 2]
        if first > last or (inside[at + 3 : at + 4] == "-" and at + 4 < len(inside)):
            return PatternMismatch(
                start + at, f'"{inside[at : at + 4]}" between brackets', 'put a "-" that means itself last'
            )
        at += 3
    return None
