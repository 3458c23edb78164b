"""The YAML tree: scalars, sequences and mappings, each with its place."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from enum import Enum
from functools import lru_cache
from operator import itemgetter
from typing import TypeAlias

from pipegen.source.text import Located, Span
from pipegen.structs import SpannedStruct, Struct

_QUOTES = ("'", '"')


class ScalarKind(Enum):
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
    kind: ScalarKind = ScalarKind.TEXT

    @property
    def value(self) -> str | bool | int | float | None:
        """The scalar as plain data."""
        match self.kind:
            case ScalarKind.BOOLEAN:
                return self.text.lower() in {"true", "yes", "on"}
            case ScalarKind.INTEGER:
                return integer(self.text)
            case ScalarKind.NUMBER:
                return number(self.text)
            case ScalarKind.NULL:
                return None
            case _:
                return self.text

    @property
    def offset(self) -> int | None:
        """Where *text* begins in the file; None where it does not stand there letter for letter."""
        return (_start if len(self.text) <= _LONG else _start_of_long)(self.text, self.span)

    def part(self, start: int, end: int) -> Span:
        """Return the span of a stretch of *text*; all of it where places within are not known."""
        first = self.offset
        return _searched(self, start, end) if first is None else Span(self.span.file, first + start, first + end)

    def located(self) -> Located[str]:
        """Return the text with its place."""
        return Located(self.text, self.span)


# To search the text of a longer one for each of many stretches takes too long.
_LONG = 10_000


def _start(text: str, span: Span) -> int | None:
    """Return where *text* begins in the file, None when it does not stand there letter for letter."""
    written = span.file.text
    first = span.end - len(text) - written.startswith(_QUOTES, span.start, span.end)
    return first if first >= span.start and written.startswith(text, first) else None


_start_of_long = lru_cache(maxsize=8)(_start)


def _searched(scalar: Scalar, start: int, end: int) -> Span:
    """Return where a stretch stands in the file when the text as a whole does not: indented, folded, escaped."""
    file, text = scalar.span.file, scalar.text
    lines = _lines_of(text, scalar.span)
    if lines is not None:
        number = bisect_right(lines, start, key=itemgetter(0)) - 1
        at, place = lines[number]
        if text.find("\n", start, end) < 0:
            return Span(file, place + start - at, place + end - at)
    if len(text) > _LONG:
        return scalar.span
    piece, found = text[start:end], scalar.span.start - 1
    # The same piece may stand there several times: as many in the file as in the text.
    for _ in range(text.count(piece, 0, start) + 1):
        found = file.text.find(piece, found + 1, scalar.span.end)
    return Span(file, found, found + end - start) if found >= 0 else scalar.span


@lru_cache(maxsize=8)
def _lines_of(text: str, span: Span) -> list[tuple[int, int]] | None:
    """Return where each line of *text* begins, there and in the file; None where they are not lines of a block."""
    written = span.file.text
    place = written.find("\n", span.start, span.end) + 1
    if not written.startswith("|", span.start) or not place:
        return None
    at, found = 0, list[tuple[int, int]]()
    for line in text.split("\n"):
        newline = written.find("\n", place)
        end = newline if newline >= 0 else len(written)
        first = end - written.endswith("\r", place, end) - len(line)
        if first < place or not written.startswith(line, first) or written[place:first].strip(" "):
            # What follows the last line break of the text need not stand there.
            return found if not line and found and at == len(text) else None
        found.append((at, first))
        at, place = at + len(line) + 1, end + 1
    return found


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
            return node.kind is ScalarKind.TEXT and not node.text
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
