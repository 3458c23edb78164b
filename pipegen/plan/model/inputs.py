"""Parameters of a run."""

from __future__ import annotations

import re
from enum import Enum

from pipegen.plan.model.patterns import escaped
from pipegen.source.text import Span
from pipegen.structs import SpannedStruct

# What values of these types are: a regular expression as `Input.pattern` is one, and words.
NUMBER = "-?[0-9]+([.][0-9]+)?"
BOOLEANS = ("true", "false")
# A value that an engine puts into a name: printable ASCII, without "$" and "%", by which engines mark variables.
NAMEABLE = "[ -#&-~]*"
_WORD = r"\\(.)|\[(\^?)([^]]+)\]|\{[0-9,]+\}|[()*+?|^$]|(.)"
_RANGE = re.compile(r"(.)-(.)", re.DOTALL)


class InputType(Enum):
    """What the value of a parameter is."""

    STRING = "string"
    NUMBER = "number"
    BOOLEAN = "boolean"


class Input(SpannedStruct, kw_only=True):
    """A parameter of a run; without a *default* it must be given.

    *default* and *choices* are texts as written, "true" or "false" for booleans. *pattern* is a regular expression
    (an extended one of POSIX and RE2 alike) that all of the value matches.
    """

    name: str
    type: InputType = InputType.STRING
    default: str | None = None
    choices: tuple[str, ...] = ()
    pattern: str | None = None
    description: str = ""
    span: Span

    @property
    def words(self) -> tuple[str, ...]:
        """The only values that it takes; none where others are taken too."""
        return self.choices or (BOOLEANS if self.type is InputType.BOOLEAN else ())

    @property
    def accepted(self) -> str | None:
        """The regular expression that all of a value matches; None for any text."""
        if self.words:
            return "|".join(escaped(word) for word in self.words if word)
        return NUMBER if self.type is InputType.NUMBER else self.pattern

    def may_be(self, value: str) -> bool:
        """Return whether *value* is one that it takes."""
        if self.words:
            return value in self.words
        return self.accepted is None or re.fullmatch(f"(?:{self.accepted})", value, re.ASCII) is not None

    def is_made_of(self, characters: re.Pattern[str]) -> bool:
        """Return whether values surely hold nothing but *characters*, of which each matches."""
        if self.words:
            return all(map(characters.fullmatch, "".join(self.words)))
        return self.accepted is not None and all(map(characters.fullmatch, _characters(self.accepted)))


def _characters(pattern: str) -> str:
    """Return all characters that what *pattern* matches may hold, and some that no name has where that may be any."""
    found = ""
    for escape, negation, inside, plain in re.findall(_WORD, pattern):
        if negation or plain == ".":
            return "\0"
        for first, last in _RANGE.findall(inside):
            found += "".join(map(chr, range(ord(first), ord(last) + 1)))
        found += escape + inside + plain
    return found
