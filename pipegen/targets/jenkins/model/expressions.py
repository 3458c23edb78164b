"""Groovy expressions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Code:
    """A Groovy expression of our own: no text of a user stands in it."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function with texts as arguments."""

    function: str
    arguments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Item:
    """What the loop of *level* (1 is the outermost) is at: its *place*-th word, or all of it where *place* is None."""

    level: int
    place: int | None


@dataclass(frozen=True, slots=True)
class OrElse:
    """*value*, or *default* where it is empty or not there."""

    value: Value
    default: str


@dataclass(frozen=True, slots=True)
class Joined:
    """Texts one after the other."""

    parts: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class OneLine:
    """*value* with its line breaks made blanks when the pipeline runs."""

    value: Value


@dataclass(frozen=True, slots=True)
class FileText:
    """The text of a file: in the workspace, or, when it *is_shared*, in the folder beside it that stages share."""

    path: str
    is_shared: bool


@dataclass(frozen=True, slots=True)
class Kept:
    """The text of a file that was read in time, by its path within `.pipegen`."""

    path: str


Value: TypeAlias = "str | Code | Call | Item | OrElse | Joined | OneLine | FileText | Kept"
