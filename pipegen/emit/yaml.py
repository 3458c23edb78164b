"""The YAML writer: data to a document, laid out as a person would write it.

Mappings and sequences are in block style, sequences indented under their key. Text with several lines is a literal
block. Lines are not wrapped, there are no anchors, and entries keep their order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property, lru_cache, partial
from typing import TypeAlias

from pipegen.emit.yaml_scalar import (
    Scalar,
    escape,
    is_foldable,
    literal_block,
    write_key,
    write_scalar,
    write_text,
    write_text_in_flow,
)
from pipegen.structs import Struct

Data: TypeAlias = "Scalar | Mapping[str, Data] | Sequence[Data]"
Value: TypeAlias = "Scalar | Mapping[str, Value] | Sequence[Value] | Flow | Folded | Commented | Verbatim"

_INDENT = "  "


class Flow(Struct):
    """A mapping or sequence on one line: `{ job: build, artifacts: true }`, `[step 1, step 2]`."""

    value: Mapping[str, Data] | Sequence[Data]


class Folded(Struct):
    """A long line of text, folded at single spaces; on one line if folding could change it."""

    lines: tuple[str, ...]


class Verbatim(Struct):
    """A number or a boolean as the user wrote it (`1.10`, `yes`), on one line; never text."""

    text: str


class Commented(Struct):
    """A value with a comment *above* its entry, of one or more lines, and one at the end of its line, *beside*."""

    value: Value
    above: str = ""
    beside: str = ""


def write(document: Mapping[str, Value] | Sequence[Value], header: Iterable[str] = (), *, spaced: bool = True) -> str:
    """Return *document* below the comments in *header*; if *spaced*, with blank lines between its entries."""
    top = _Depth("\n", _Line())
    entries = top.entries(document) if isinstance(document, Mapping) else top.items(document)
    if spaced:
        # A block that ends in a line break needs no more: another one would be part of its text.
        entries[:-1] = [entry if entry.endswith("\n") else f"{entry}\n" for entry in entries[:-1]]
    text = "".join(entries).removeprefix("\n") or ("{}" if isinstance(document, Mapping) else "[]")
    return with_header(header, f"{text}\n")


def with_header(header: Iterable[str], text: str) -> str:
    """Return the document *text* below the comments in *header*."""
    lines = [_comment(line) for line in header]
    return "\n".join([*lines, "", text]) if lines else text


class _Line:
    """Writes values on one line; most texts occur several times."""

    def __init__(self) -> None:
        self.text = cache(write_text)
        self._text_in_flow = cache(write_text_in_flow)
        self._key_in_flow = cache(partial(write_key, in_flow=True))

    def flow(self, value: Data) -> str:
        """Return *value* in flow style."""
        match value:
            case str():
                return self._text_in_flow(value)
            case list() | tuple():  # before abstract classes, whose tests take longer
                text = self._text_in_flow
                return f"[{', '.join([text(item) if type(item) is str else self.flow(item) for item in value])}]"
            case bool():
                return "true" if value else "false"
            case dict() | Mapping():
                write_key_in_flow, text = self._key_in_flow, self._text_in_flow
                items = [
                    f"{write_key_in_flow(key)} {text(item) if type(item) is str else self.flow(item)}"
                    for key, item in value.items()
                ]
                return f"{{ {', '.join(items)} }}" if items else "{}"
            case int() | float() | None:
                return write_scalar(value, in_flow=True)
            case Sequence():
                return f"[{', '.join(map(self.flow, value))}]"


class _Depth:
    """Writes values at one indentation; frequent types are tested first.

    Each entry begins with *start*, a line break and the indentation, and its lead: a key and colon, or a dash.
    """

    def __init__(self, start: str, line: _Line) -> None:
        self.start = start
        self._dash = f"{start}-"
        # A key that is too long for a simple key has its colon on the next line.
        self._key = cache(lambda key: start + write_key(key, in_flow=False).replace("\n", start))
        self._line = line

    @cached_property
    def _deeper(self) -> _Depth:
        return _Depth(self.start + _INDENT, self._line)

    def entries(self, mapping: Mapping[str, Value]) -> list[str]:
        """Return the entries of *mapping*."""
        lead, text = self._key, self._line.text
        return [
            f"{lead(key)} {text(value)}" if type(value) is str and "\n" not in value else self._entry(lead(key), value)
            for key, value in mapping.items()
        ]

    def items(self, sequence: Sequence[Value]) -> list[str]:
        """Return the items of *sequence* as entries."""
        dash, text = self._dash, self._line.text
        return [
            f"{dash} {text(value)}" if type(value) is str and "\n" not in value else self._entry(dash, value)
            for value in sequence
        ]

    def _entry(self, lead: str, value: Value) -> str:
        """Return the entry of *value* after *lead*."""
        # A test of the exact type takes a third of the time of `isinstance`.
        if type(value) is str:
            return f"{lead} {self._text(value)}"
        if type(value) is Flow:
            return f"{lead} {self._line.flow(value.value)}"
        if type(value) is Commented:
            return self._commented(lead, value)
        if type(value) is list or type(value) is tuple:
            return self._block(lead, self._deeper.items(value), "[]")
        if type(value) is dict:
            return self._block(lead, self._deeper.entries(value), "{}")
        return self._general_entry(lead, value)

    def _general_entry(self, lead: str, value: Value) -> str:  # noqa: PLR0911 - one for each kind
        """Return the entry of *value*, of any type, after *lead*."""
        match value:
            case str():
                return f"{lead} {self._text(value)}"
            case Flow():
                return f"{lead} {self._line.flow(value.value)}"
            case Commented():
                return self._commented(lead, value)
            case bool() | int() | float() | None:
                return f"{lead} {write_scalar(value, in_flow=False)}"
            case Folded():
                return f"{lead} {self._folded(value.lines)}"
            case Verbatim():
                return f"{lead} {value.text}"
            case Mapping():
                return self._block(lead, self._deeper.entries(value), "{}")
            case Sequence():
                return self._block(lead, self._deeper.items(value), "[]")

    def _block(self, lead: str, entries: Sequence[str], empty: str) -> str:
        """Return *entries* one step deeper; the first is on the line of a dash, unless a comment is above it."""
        if not entries:
            return f"{lead} {empty}"
        text = "".join(entries)
        start = self._deeper.start
        if lead is not self._dash or text.startswith("#", len(start)):
            return f"{lead}{text}"
        return f"{lead} {text[len(start) :]}"

    def _text(self, text: str) -> str:
        """Return *text*; as a literal block if it has several lines."""
        return literal_block(text, self._deeper.start) or self._line.text(text)

    def _folded(self, lines: tuple[str, ...]) -> str:
        """Return *lines* folded; on one line if there is only one or they cannot be folded."""
        if len(lines) > 1 and is_foldable(lines):
            return ">-" + "".join([f"{self._deeper.start}{line}" for line in lines])
        return self._text(" ".join(lines))

    def _commented(self, lead: str, commented: Commented) -> str:
        """Return an entry with the comments above it and at the end of its line."""
        entry = self._entry(lead, commented.value)
        if commented.beside:
            end = entry.find("\n", len(lead) if entry.startswith(lead) else 1)
            end = len(entry) if end < 0 else end
            entry = f"{entry[:end]}  {_comment(commented.beside)}{entry[end:]}"
        if not commented.above:
            return entry
        if "\n" not in commented.above:
            return f"{self.start}{_comment(commented.above)}{entry}"
        return "".join([f"{self.start}{_comment(line)}" for line in commented.above.split("\n")]) + entry


@lru_cache
def _comment(text: str) -> str:
    """Return *text* as a comment of one line; if it begins with `#`, this is a part of the mark."""
    return f"#{'' if text.startswith('#') else ' '}{escape(text)}".rstrip(" ")
