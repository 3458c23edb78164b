"""The one YAML writer: data to a document, laid out as a person would write it.

Mappings and sequences stand in block style, sequences indented under their key. Text of several lines is a literal
block. Nothing is wrapped, no anchor is made, and entries keep their order.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from pipegen.emit.yaml_scalar import Scalar, escape, is_foldable, literal_block, write_key, write_scalar, write_text
from pipegen.structs import Struct

Data: TypeAlias = "Scalar | Mapping[str, Data] | Sequence[Data]"
Value: TypeAlias = "Scalar | Mapping[str, Value] | Sequence[Value] | Flow | Folded | Commented | Verbatim"

_INDENT = "  "


class Flow(Struct):
    """A mapping or sequence on one line: `{ job: build, artifacts: true }`, `[step 1, step 2]`."""

    value: Mapping[str, Data] | Sequence[Data]


class Folded(Struct):
    """One long line of text, broken where one space is; on one line after all if a reader could see it differently."""

    lines: tuple[str, ...]


class Verbatim(Struct):
    """A number or a boolean as a person wrote it (`1.10`, `yes`), on one line; it must not be text."""

    text: str


class Commented(Struct):
    """A value with a comment *above* its entry, of one or more lines, and one *beside* it; an empty one is left out."""

    value: Value
    above: str = ""
    beside: str = ""


def write(document: Mapping[str, Value] | Sequence[Value], header: Iterable[str] = (), *, spaced: bool = True) -> str:
    """Return *document* below the comment lines of *header*, with blank lines between its entries if *spaced*."""
    return with_header(header, _Lines().text(document, spaced=spaced))


def with_header(header: Iterable[str], text: str) -> str:
    """Return the document that is *text* below the comment lines of *header*."""
    lines = [_comment(line) for line in header]
    return "\n".join([*lines, "", text]) if lines else text


class _Written(dict[str, str]):
    """How texts are written, each worked out once for all its places."""

    def __init__(self, write_one: Callable[[str], str]) -> None:
        super().__init__()
        self._write_one = write_one

    def __missing__(self, text: str) -> str:
        """Return how *text* is written, from now on without asking again."""
        found = self[text] = self._write_one(text)
        return found


class _Lines:
    """The lines of a document. What is frequent, and found out fast, is asked first."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._keys = _Written(lambda key: write_key(key, in_flow=False))
        self._texts = _Written(lambda text: write_text(text, in_flow=False))
        self._keys_in_flow = _Written(lambda key: write_key(key, in_flow=True))
        self._texts_in_flow = _Written(lambda text: write_text(text, in_flow=True))

    def text(self, document: Mapping[str, Value] | Sequence[Value], *, spaced: bool) -> str:
        """Return *document*, with blank lines between its entries if they are *spaced*."""
        lines = self._lines
        for lead, value in self._entries(document, ""):
            # A block that ends in blank lines has taken the one above already: one more would be its text.
            if spaced and lines and lines[-1]:
                lines.append("")
            self._add(lead, value, "")
        if not lines:
            lines.append(_empty(document))
        return "\n".join(lines) + "\n"

    def _entries(self, collection: Mapping[str, Value] | Sequence[Value], indent: str) -> Iterable[tuple[str, Value]]:
        """Yield each entry of *collection* with what leads it: its key and colon, or a dash."""
        if not isinstance(collection, dict | Mapping):
            return (("-", item) for item in collection)
        keys = self._keys
        # A key that is too long for one line has its colon on the next.
        return ((keys[key].replace("\n", f"\n{indent}"), value) for key, value in collection.items())

    def _add(self, lead: str, value: Value, indent: str) -> None:
        """Append the entry that *lead* opens at *indent*."""
        match value:
            case str():
                self._add_text(lead, value, indent)
            case Flow():
                self._lines.append(f"{indent}{lead} {self._flow(value.value)}")
            case dict() | list() | tuple():
                self._add_collection(lead, value, indent)
            case bool() | int() | float() | None:
                self._lines.append(f"{indent}{lead} {write_scalar(value, in_flow=False)}")
            case Commented():
                self._add_commented(lead, value, indent)
            case Folded():
                self._add_folded(lead, value, indent)
            case Verbatim():
                self._lines.append(f"{indent}{lead} {value.text}")
            case Mapping() | Sequence():
                self._add_collection(lead, value, indent)

    def _add_text(self, lead: str, text: str, indent: str) -> None:
        """Append *text*, as a literal block where it has several lines."""
        block = literal_block(text) if "\n" in text else None
        if block is None:
            self._lines.append(f"{indent}{lead} {self._texts[text]}")
            return
        header, content = block
        self._lines.append(f"{indent}{lead} {header}")
        self._lines.extend([f"{indent}{_INDENT}{line}" if line else "" for line in content])

    def _add_folded(self, lead: str, folded: Folded, indent: str) -> None:
        """Append *folded*, on one line where it has no other or cannot be broken."""
        if len(folded.lines) > 1 and is_foldable(folded.lines):
            self._lines.append(f"{indent}{lead} >-")
            self._lines.extend(f"{indent}{_INDENT}{line}" for line in folded.lines)
        else:
            self._add_text(lead, " ".join(folded.lines), indent)

    def _add_commented(self, lead: str, commented: Commented, indent: str) -> None:
        """Append a value with the comments above and beside it."""
        if commented.above:
            self._lines.extend(f"{indent}{_comment(line)}" for line in commented.above.split("\n"))
        first = len(self._lines)
        self._add(lead, commented.value, indent)
        if commented.beside:
            self._lines[first] += f"  {_comment(commented.beside)}"

    def _add_collection(self, lead: str, collection: Mapping[str, Value] | Sequence[Value], indent: str) -> None:
        """Append *collection* one step deeper; its first entry shares the line of a dash, unless a comment is above."""
        if not collection:
            self._lines.append(f"{indent}{lead} {_empty(collection)}")
            return
        deeper = indent + _INDENT
        first = len(self._lines)
        if lead != "-":
            self._lines.append(indent + lead)
        for inner, value in self._entries(collection, deeper):
            self._add(inner, value, deeper)
        if lead != "-":
            return
        if self._lines[first].startswith("#", len(deeper)):
            self._lines.insert(first, indent + lead)
        else:
            self._lines[first] = f"{indent}- {self._lines[first][len(deeper) :]}"

    def _flow(self, value: Data) -> str:
        """Return *value* on one line."""
        match value:
            case str():
                return self._texts_in_flow[value]
            case bool() | int() | float() | None:
                return write_scalar(value, in_flow=True)
            case dict() | Mapping():
                inside = ", ".join([f"{self._keys_in_flow[key]} {self._flow(item)}" for key, item in value.items()])
                return f"{{ {inside} }}" if inside else "{}"
            case list() | tuple() | Sequence():
                return f"[{', '.join(map(self._flow, value))}]"


def _empty(collection: Mapping[str, Value] | Sequence[Value]) -> str:
    """Return the empty *collection*, which only flow style can say."""
    return "{}" if isinstance(collection, Mapping) else "[]"


def _comment(text: str) -> str:
    """Return *text* as a comment of one line."""
    return f"# {escape(text)}".rstrip(" ")
