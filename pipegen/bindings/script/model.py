"""The model of a user's shell script: its text, and its references with their quoting context.

`parse.py` builds it. The code that writes the script needs no shell grammar: each part has its context.
"""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from pipegen.bindings.expression import Reference
from pipegen.source.text import Span
from pipegen.structs import SpannedStruct, Struct

# Namespaces of references in a script, besides the names of stages.
RESERVED_NAMESPACES = ("", "setup", "inputs", "matrix", "pipeline")


class Context(Enum):
    """How the shell reads the text around a reference.

    `WORD` is any text where quotes can be opened: a bare word, an assignment, a pattern; `ANSI` is `$'…'`.
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
    """`$${…}`: an escaped reference, which is literal text."""

    text: str
    context: Context


class Delimiter(Struct):
    """The quoted delimiter of a here-document with references: *written* by the user, generated as *plain*."""

    written: str
    plain: str


class Body(Struct):
    """Literal text of a here-document with a quoted delimiter."""

    text: str


ScriptPart: TypeAlias = "str | PlacedReference | Escaped | Delimiter | Body"


class ParsedScript(SpannedStruct):
    """A script in parts; a `str` is the user's text, generated unchanged."""

    parts: tuple[ScriptPart, ...]
    span: Span

    def references(self) -> list[PlacedReference]:
        """Return the references, in written order."""
        return [part for part in self.parts if type(part) is PlacedReference]
