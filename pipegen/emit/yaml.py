"""The one YAML writer: data to a document, laid out as a person would write it.

Mappings and sequences stand in block style, sequences indented under their key. Text of several lines is a literal
block. Nothing is wrapped, no anchor is made, and entries keep their order.
"""

from collections.abc import Iterable, Mapping, Sequence
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
    lines = [_comment(line) for line in header]
    if lines:
        lines.append("")
    top = len(lines)
    for lead, value in _entries(document, ""):
        # A block that ends in blank lines has taken the one above already: one more would be its text.
        if spaced and len(lines) > top and lines[-1]:
            lines.append("")
        _add_entry(lines, lead, value, "")
    if len(lines) == top:
        lines.append(_empty(document))
    return "\n".join(lines) + "\n"


def _entries(collection: Mapping[str, Value] | Sequence[Value], indent: str) -> Iterable[tuple[str, Value]]:
    """Return each entry of *collection* with what leads it: its key and colon, or a dash."""
    if isinstance(collection, Mapping):
        return ((write_key(key, in_flow=False, indent=indent), value) for key, value in collection.items())
    return (("-", item) for item in collection)


def _add_entry(lines: list[str], lead: str, value: Value, indent: str) -> None:
    """Append to *lines* the entry that *lead* opens at *indent*."""
    match value:
        case str():
            _add_text(lines, lead, value, indent)
        case Flow():
            lines.append(f"{indent}{lead} {_flow(value.value)}")
        case Verbatim():
            lines.append(f"{indent}{lead} {value.text}")
        case Commented():
            _add_commented(lines, lead, value, indent)
        case Folded():
            _add_folded(lines, lead, value, indent)
        case Mapping() | Sequence():
            _add_collection(lines, lead, value, indent)
        case _:
            lines.append(f"{indent}{lead} {write_scalar(value, in_flow=False)}")


def _add_text(lines: list[str], lead: str, text: str, indent: str) -> None:
    """Append *text*, as a literal block where it has several lines."""
    block = literal_block(text)
    if block is None:
        lines.append(f"{indent}{lead} {write_text(text, in_flow=False)}")
        return
    header, content = block
    lines.append(f"{indent}{lead} {header}")
    lines.extend(f"{indent}{_INDENT}{line}" if line else "" for line in content)


def _add_folded(lines: list[str], lead: str, folded: Folded, indent: str) -> None:
    """Append *folded*, on one line where it has no other or cannot be broken."""
    if len(folded.lines) > 1 and is_foldable(folded.lines):
        lines.append(f"{indent}{lead} >-")
        lines.extend(f"{indent}{_INDENT}{line}" for line in folded.lines)
    else:
        _add_text(lines, lead, " ".join(folded.lines), indent)


def _add_commented(lines: list[str], lead: str, commented: Commented, indent: str) -> None:
    """Append a value with the comments above and beside it."""
    if commented.above:
        lines.extend(f"{indent}{_comment(line)}" for line in commented.above.split("\n"))
    first = len(lines)
    _add_entry(lines, lead, commented.value, indent)
    if commented.beside:
        lines[first] += f"  {_comment(commented.beside)}"


def _add_collection(
    lines: list[str], lead: str, collection: Mapping[str, Value] | Sequence[Value], indent: str
) -> None:
    """Append *collection* one step deeper; its first entry shares the line of a dash, unless a comment is above it."""
    if not collection:
        lines.append(f"{indent}{lead} {_empty(collection)}")
        return
    deeper = indent + _INDENT
    first = len(lines)
    for inner, value in _entries(collection, deeper):
        _add_entry(lines, inner, value, deeper)
    if lead == "-" and not lines[first].startswith("#", len(deeper)):
        lines[first] = f"{indent}- {lines[first][len(deeper) :]}"
    else:
        lines.insert(first, indent + lead)


def _flow(value: Data) -> str:
    """Return *value* on one line."""
    match value:
        case str():
            return write_text(value, in_flow=True)
        case Mapping():
            inside = ", ".join(f"{write_key(key, in_flow=True)} {_flow(item)}" for key, item in value.items())
            return f"{{ {inside} }}" if inside else "{}"
        case Sequence():
            return f"[{', '.join(map(_flow, value))}]"
        case _:
            return write_scalar(value, in_flow=True)


def _empty(collection: Mapping[str, Value] | Sequence[Value]) -> str:
    """Return the empty *collection*, which only flow style can say."""
    return "{}" if isinstance(collection, Mapping) else "[]"


def _comment(text: str) -> str:
    """Return *text* as a comment of one line."""
    return f"# {escape(text)}".rstrip(" ")
