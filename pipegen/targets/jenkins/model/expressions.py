"""Groovy expressions."""

from __future__ import annotations

from typing import TypeAlias

from pipegen.structs import Struct


class GroovyCode(Struct):
    """A Groovy expression of the target; it contains no user text. Its value *may_be_secret*."""

    text: str
    may_be_secret: bool = False


class FunctionCall(Struct):
    """A call of a function with texts as arguments; those of several combinations of a matrix are Groovy."""

    function: str
    arguments: tuple[str | GroovyCode, ...]


class Item(Struct):
    """The current item of the loop of *level* (1 is the outermost): its word number *index*, or all of it (None)."""

    level: int
    index: int | None


class OrElse(Struct):
    """*value*, or *default* if it is empty or missing."""

    value: Value
    default: str


class Joined(Struct):
    """Concatenated texts."""

    parts: tuple[Value, ...]


class OneLine(Struct):
    """*value* with its line breaks replaced by spaces at run time."""

    value: Value


class FileText(Struct):
    """The text of a file in the workspace or, with *is_shared*, in the temporary folder that stages share."""

    path: str
    is_shared: bool


class NoteText(Struct):
    """The text of a file that was read before its agent was released, by its path within `.pipegen`."""

    path: str


Value: TypeAlias = "str | GroovyCode | FunctionCall | Item | OrElse | Joined | OneLine | FileText | NoteText"


class EnvironmentVariable(Struct):
    """An environment variable, and its value."""

    name: str
    value: Value
