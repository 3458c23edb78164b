"""Parameters of a run."""

from __future__ import annotations

from enum import Enum

from pipegen.source.text import Span
from pipegen.structs import SpannedStruct

# What values of these types are: a regular expression as `Input.pattern` is one, and words.
NUMBER = "-?[0-9]+([.][0-9]+)?"
BOOLEANS = ("true", "false")


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
