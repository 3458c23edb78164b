"""The tree of values: scalars, sequences and mappings, each with its span."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from enum import Enum
from functools import lru_cache
from operator import attrgetter, itemgetter
from typing import TypeAlias

from pipegen.source.text import Located, Span
from pipegen.structs import SpannedStruct, Struct

_QUOTES = ("'", '"')
_VALUE = attrgetter("value")
_MOST_DIGITS = 15


class ScalarKind(Enum):
    """The kind of a scalar in YAML, by its style and text."""

    TEXT = "text"
    BOOLEAN = "boolean"
    INTEGER = "integer"
    NUMBER = "number"
    NULL = "null"

    # Enum's own is written in Python, which is slow: kinds are hashed often.
    __hash__ = object.__hash__


class Scalar(SpannedStruct):
    """A scalar: *text* as written (unquoted, unescaped), *kind* as YAML reads it.

    The text of a number is the user's (`1.10`), so that a number used as text stays the same.
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
        """The offset of *text* in the file; None if the file does not contain it verbatim."""
        return (_start if len(self.text) <= _LONG else _start_of_long)(self.text, self.span)

    def part(self, start: int, end: int) -> Span:
        """Return the span of a part of *text*; the whole span if the location of the part is unknown."""
        first = self.offset
        return _searched(self, start, end) if first is None else Span(self.span.file, first + start, first + end)

    def located(self) -> Located[str]:
        """Return the text with its span."""
        return Located(self.text, self.span)


# Searching a longer text for each of many parts takes too long.
_LONG = 10_000


def _start(text: str, span: Span) -> int | None:
    """Return the offset of *text* in the file; None if the file does not contain it verbatim."""
    written = span.file.text
    offset = span.end - len(text) - written.startswith(_QUOTES, span.start, span.end)
    return offset if offset >= span.start and written.startswith(text, offset) else None


_start_of_long = lru_cache(maxsize=8)(_start)


def _searched(scalar: Scalar, start: int, end: int) -> Span:
    """Return the span of a part of a text that the file does not contain verbatim: indented, folded, escaped."""
    file, text = scalar.span.file, scalar.text
    lines = _lines_of(text, scalar.span)
    if lines is not None:
        number = bisect_right(lines, start, key=itemgetter(0)) - 1
        line_start, line_offset = lines[number]
        if text.find("\n", start, end) < 0:
            return Span(file, line_offset + start - line_start, line_offset + end - line_start)
    if len(text) > _LONG:
        return scalar.span
    piece, offset = text[start:end], scalar.span.start - 1
    # The same piece may be in the text several times, and as often in the file.
    for _ in range(text.count(piece, 0, start) + 1):
        offset = file.text.find(piece, offset + 1, scalar.span.end)
    return Span(file, offset, offset + end - start) if offset >= 0 else scalar.span


@lru_cache(maxsize=8)
def _lines_of(text: str, span: Span) -> list[tuple[int, int]] | None:
    """Return the offsets of each line of *text*, in the text and in the file; None if it is not a block scalar."""
    written = span.file.text
    position = written.find("\n", span.start, span.end) + 1
    if not written.startswith("|", span.start) or not position:
        return None
    line_start, lines = 0, list[tuple[int, int]]()
    for line in text.split("\n"):
        newline = written.find("\n", position)
        end = newline if newline >= 0 else len(written)
        line_offset = end - written.endswith("\r", position, end) - len(line)
        if (
            line_offset < position
            or not written.startswith(line, line_offset)
            or written[position:line_offset].strip(" ")
        ):
            # The file need not contain the empty line after the last line break.
            return lines if not line and lines and line_start == len(text) else None
        lines.append((line_start, line_offset))
        line_start, position = line_start + len(line) + 1, end + 1
    return lines


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
        return tuple(map(_VALUE, node.entries))
    return node.items if type(node) is Sequence else ()


def scalars(node: Node) -> Iterator[Scalar]:
    """Yield the scalars in *node*, in the order of the file, without keys."""
    if isinstance(node, Scalar):
        yield node
    for child in children(node):
        yield from scalars(child)


def items_of(node: Node | None) -> tuple[Node, ...]:
    """Return the items of a sequence; () for any other node."""
    return node.items if isinstance(node, Sequence) else ()


def as_items(node: Node | None) -> tuple[Node, ...]:
    """Return the items of a sequence, any other node as the only item, and () without a node."""
    return node.items if isinstance(node, Sequence) else () if node is None else (node,)


def scalars_of(node: Node | None) -> tuple[Scalar, ...]:
    """Return the scalars among the items of a sequence, or the node itself if it is one."""
    items = node.items if type(node) is Sequence else (node,)
    return tuple([item for item in items if type(item) is Scalar])


def is_true(node: Node | None) -> bool:
    """Return whether *node* is the boolean true."""
    return isinstance(node, Scalar) and node.value is True


def is_false(node: Node | None) -> bool:
    """Return whether *node* is the boolean false."""
    return isinstance(node, Scalar) and node.value is False


def is_null(node: Node | None) -> bool:
    """Return whether *node* is missing or null."""
    return node is None or (isinstance(node, Scalar) and node.kind is ScalarKind.NULL)


def entries_of(node: Node | None) -> tuple[Entry, ...]:
    """Return the entries of a mapping; none for other nodes."""
    return node.entries if isinstance(node, Mapping) else ()


def child(node: Node | None, key: str) -> Node | None:
    """Return the value of *key* in a mapping; None for any other node."""
    return node.get(key) if isinstance(node, Mapping) else None


def written_text(node: Node | None, default: str = "") -> str:
    """Return the text of a scalar as written; *default* for any other node."""
    return node.text if isinstance(node, Scalar) else default


def located_text(node: Node | None) -> Located[str] | None:
    """Return the text of a scalar with its span; None for any other node."""
    return node.located() if isinstance(node, Scalar) else None


def count(node: Node) -> int:
    """Return the number of values in *node*, including itself; repeats by aliases count each time."""
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
    """Return the value of a YAML integer: decimal, 0x, 0o, 0b or 1.1's leading zero, optionally with `_`."""
    digits = text.replace("_", "").lower()
    sign = -1 if digits.startswith("-") else 1
    digits = digits.lstrip("+-")
    for prefix, base in (("0x", 16), ("0o", 8), ("0b", 2)):
        if digits.startswith(prefix):
            return sign * int(digits[2:], base)
    if len(digits) > 1 and digits.startswith("0") and set(digits) <= set("01234567"):
        return sign * int(digits, 8)
    return sign * int(digits)


def whole_number(text: str) -> int | None:
    """Return the number that *text* stands for; None if it is anything but at most 15 decimal digits."""
    return int(text) if text.isdecimal() and len(text) <= _MOST_DIGITS else None


def number(text: str) -> float:
    """Return the value of a YAML float, `.inf` and `.nan` too."""
    return float(text.replace("_", "").lower().replace(".inf", "inf").replace(".nan", "nan"))
