"""Groovy expressions."""

from __future__ import annotations

from typing import TypeAlias

from pipegen.structs import Struct


class GroovyCode(Struct):
    """A Groovy expression of our own: no text of a user stands in it."""

    text: str


class FunctionCall(Struct):
    """A call of a function with texts as arguments."""

    function: str
    arguments: tuple[str, ...]


class Item(Struct):
    """What the loop of *level* (1 is the outermost) is at: its *place*-th word, or all of it where *place* is None."""

    level: int
    place: int | None


class OrElse(Struct):
    """*value*, or *default* where it is empty or not there."""

    value: Value
    default: str


class Joined(Struct):
    """Texts one after the other."""

    parts: tuple[Value, ...]


class OneLine(Struct):
    """*value* with its line breaks made blanks when the pipeline runs."""

    value: Value


class FileText(Struct):
    """The text of a file: in the workspace, or, when it *is_shared*, in the folder beside it that stages share."""

    path: str
    is_shared: bool


class NoteText(Struct):
    """The text of a file that was read in time, by its path within `.pipegen`."""

    path: str


Value: TypeAlias = "str | GroovyCode | FunctionCall | Item | OrElse | Joined | OneLine | FileText | NoteText"
