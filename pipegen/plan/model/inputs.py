"""Parameters of a run."""

from __future__ import annotations

import re
from enum import Enum

from pipegen.plan.model.patterns import escaped
from pipegen.source.text import Span
from pipegen.structs import SpannedStruct

# The values of these types: a regular expression as in `Input.pattern`, and words.
NUMBER = "-?[0-9]+([.][0-9]+)?"
BOOLEANS = ("true", "false")
# A value that an engine puts into a name: printable ASCII, without "$" and "%", which mark variables.
NAMEABLE = "[ -#&-~]*"
_WORD = r"\\(.)|\[(\^?)([^]]+)\]|\{[0-9,]+\}|[()*+?|^$]|(.)"
_RANGE = r"(.)-(.)"


class InputType(Enum):
    """The type of a parameter."""

    STRING = "string"
    NUMBER = "number"
    BOOLEAN = "boolean"


class Input(SpannedStruct, kw_only=True):
    """A parameter of a run; without a *default* it is required.

    *default* and *choices* are texts as written, "true" or "false" for booleans. *pattern* is a regular expression
    (both a POSIX extended one and RE2) that the whole value must match.
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
        """The only valid values; empty if other values are valid too."""
        return self.choices or (BOOLEANS if self.type is InputType.BOOLEAN else ())

    @property
    def accepted(self) -> str | None:
        """The regular expression that a whole value must match; None for any text."""
        if self.words:
            return "|".join(escaped(word) for word in self.words if word)
        return NUMBER if self.type is InputType.NUMBER else self.pattern

    def accepts(self, value: str) -> bool:
        """Return whether *value* is valid."""
        if self.words:
            return value in self.words
        return self.accepted is None or re.fullmatch(f"(?:{self.accepted})", value, re.ASCII) is not None

    def consists_of(self, characters: re.Pattern[str]) -> bool:
        """Return whether valid values contain only characters that match *characters*."""
        if self.words:
            return all(map(characters.fullmatch, "".join(self.words)))
        return self.accepted is not None and all(map(characters.fullmatch, _characters(self.accepted)))


def _characters(pattern: str) -> str:
    """Return the characters in texts that *pattern* matches; a NUL character if that may be any character."""
    characters = ""
    for escape, negation, inside, plain in re.findall(_WORD, pattern):
        if negation or plain == ".":
            return "\0"
        for first, last in re.findall(_RANGE, inside, re.DOTALL):
            characters += "".join(map(chr, range(ord(first), ord(last) + 1)))
        characters += escape + inside + plain
    return characters
