"""What a user's shell script says: its text, and the references in it, each with the place where it stands.

`parse.py` makes these. Whoever writes the script out needs no shell grammar: a part says how it is quoted.
"""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from pipegen.bindings.expression import Reference
from pipegen.source.text import Span
from pipegen.structs import SpannedStruct, Struct

# What is ours in a script beside the names of stages.
RESERVED_NAMESPACES = ("", "setup", "inputs", "matrix", "pipeline")


class Context(Enum):
    """How the shell reads the place where a reference stands.

    `WORD` is any place where quotes may be opened: a bare word, an assignment, a pattern; `ANSI` is `$'…'`.
    """

    WORD = "bare word"
    DOUBLE = "double quotes"
    SINGLE = "single quotes"
    ANSI = "ANSI quotes"
    DOCUMENT = "here-document"


class PlacedReference(Struct):
    """A reference in a script."""

    reference: Reference
    context: Context


class Escaped(Struct):
    """`$${…}`: text that would be a reference, and is meant as it stands."""

    text: str
    context: Context


class Delimiter(Struct):
    """The quoted delimiter of a here-document that holds references: *written* by the user, to stand as *plain*."""

    written: str
    plain: str


class Body(Struct):
    """Text of such a here-document, every character of which means itself."""

    text: str


ScriptPart: TypeAlias = "str | PlacedReference | Escaped | Delimiter | Body"


class ParsedScript(SpannedStruct):
    """A script made of parts; a `str` is the user's text, to be written as it stands."""

    parts: tuple[ScriptPart, ...]
    span: Span

    def references(self) -> list[PlacedReference]:
        """Return the references, in the order they are written."""
        return [part for part in self.parts if type(part) is PlacedReference]
