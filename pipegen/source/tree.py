"""The YAML tree: scalars, sequences and mappings, each with its place."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import TypeAlias

from pipegen.source.text import Located, Span
from pipegen.structs import SpannedStruct, Struct

_QUOTES = ("'", '"')


class Kind(Enum):
    """What a scalar is in YAML, by its style and its look."""

    TEXT = "text"
    BOOLEAN = "boolean"
    INTEGER = "integer"
    NUMBER = "number"
    NULL = "null"

    # That of Enum is written in Python; values are looked up by their kind all the time.
    __hash__ = object.__hash__


class Scalar(SpannedStruct):
    """A scalar: *text* as written (unquoted, unescaped), *kind* as YAML reads it.

    The text of a number is what the user wrote (`1.10`), so that a number
    where text is meant comes out as it went in.
    """

    text: str
    span: Span
    kind: Kind = Kind.TEXT

    @property
    def value(self) -> str | bool | int | float | None:
        """The scalar as plain data."""
        match self.kind:
            case Kind.BOOLEAN:
                return self.text.lower() in {"true", "yes", "on"}
            case Kind.INTEGER:
                return integer(self.text)
            case Kind.NUMBER:
                return number(self.text)
            case Kind.NULL:
                return None
            case _:
                return self.text

    @property
    def offset(self) -> int | None:
        """Where *text* begins in the file; None where it does not stand there letter for letter."""
        span, written = self.span, self.span.file.text
        first = span.end - len(self.text) - written.startswith(_QUOTES, span.start, span.end)
        return first if first >= span.start and written.startswith(self.text, first) else None

    def part(self, start: int, end: int) -> Span:
        """Return the span of a stretch of *text*; all of it where places within are not known."""
        file, first = self.span.file, self.offset
        if first is not None:
            return Span(file, first + start, first + end)
        piece, found = self.text[start:end], self.span.start - 1
        # The same piece may stand there several times: as many in the file as in the text.
        for _ in range(self.text.count(piece, 0, start) + 1):
            found = file.text.find(piece, found + 1, self.span.end)
        return Span(file, found, found + end - start) if found >= 0 else self.span

    def located(self) -> Located[str]:
        """Return the text with its place."""
        return Located(self.text, self.span)


class Sequence(SpannedStruct):
    """A list of nodes."""

    items: tuple[Node, ...]
    span: Span

    def __iter__(self) -> Iterator[Node]:
        return iter(self.items)


class Entry(Struct):
    """A key of a mapping, with its value."""

    key: Scalar
    value: Node


class Mapping(SpannedStruct):
    """Keys and values in the user's order; each key once."""

    entries: tuple[Entry, ...]
    span: Span

    def entry(self, key: str) -> Entry | None:
        """Return the entry of *key*."""
        for entry in self.entries:
            if entry.key.text == key:
                return entry
        return None

    def get(self, key: str) -> Node | None:
        """Return the value of *key*."""
        entry = self.entry(key)
        return entry.value if entry else None


Node: TypeAlias = Scalar | Sequence | Mapping


def is_empty(node: Node) -> bool:
    """Return whether *node* is a map or a list without entries, or the text ""."""
    match node:
        case Scalar():
            return node.kind is Kind.TEXT and not node.text
        case Sequence():
            return not node.items
        case Mapping():
            return not node.entries


def children(node: Node) -> tuple[Node, ...]:
    """Return the values directly in *node*, without keys."""
    if type(node) is Mapping:
        return tuple([entry.value for entry in node.entries])
    return node.items if type(node) is Sequence else ()


def count(node: Node) -> int:
    """Return how many values *node* holds, itself included; what an alias repeats counts each time."""
    number, open_nodes = 0, [node]
    while open_nodes:
        number += 1
        open_nodes.extend(children(open_nodes.pop()))
    return number


def plain(node: Node) -> object:
    """Return *node* as plain data: str, bool, int, float, None, list and dict."""
    match node:
        case Scalar():
            return node.value
        case Sequence():
            return [plain(item) for item in node.items]
        case Mapping():
            return {entry.key.text: plain(entry.value) for entry in node.entries}


def integer(text: str) -> int:
    """Return the value of a YAML integer: decimal, 0x, 0o, 0b or 1.1's leading zero, perhaps with `_`."""
    digits = text.replace("_", "").lower()
    sign = -1 if digits.startswith("-") else 1
    digits = digits.lstrip("+-")
    for prefix, base in (("0x", 16), ("0o", 8), ("0b", 2)):
        if digits.startswith(prefix):
            return sign * int(digits[2:], base)
    if len(digits) > 1 and digits.startswith("0") and set(digits) <= set("01234567"):
        return sign * int(digits, 8)
    return sign * int(digits)


def number(text: str) -> float:
    """Return the value of a YAML float, `.inf` and `.nan` too."""
    return float(text.replace("_", "").lower().replace(".inf", "inf").replace(".nan", "nan"))
