"""A user's map, written to a file as YAML; values that are known only at run time become JSON strings.

In the YAML lines, a run-time value is between two NULs, which no value contains. `awk` then makes a JSON string of it
from the numbers of its bytes, so that every shell and every awk produces the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from pipegen.bindings.expression import Constant, Expression, List, Loop, Map, Text
from pipegen.shell.command import Command
from pipegen.shell.layout import indented, printed, redirected
from pipegen.shell.lowering import Lowering
from pipegen.shell.quote import Fragment, Literal, Word, between_quotes, printf_format, single_quoted
from pipegen.shell.words.items import repeated
from pipegen.shell.words.text import word
from pipegen.shell.words.yaml import plain_scalar
from pipegen.structs import Struct


class _Line(Struct):
    """A line; its `Text` pieces are known only at run time."""

    pieces: tuple[str | Text, ...]

    @property
    def constant(self) -> str | None:
        if all(isinstance(piece, str) for piece in self.pieces):
            return "".join(piece for piece in self.pieces if isinstance(piece, str))
        return None


class _Repeat(Struct):
    """Lines for each item of *loop*, whose body is rendered later."""

    loop: Loop[Expression]
    indent: str


_Part: TypeAlias = "_Line | _Repeat"

_END = "EOF"
_SHORT = 60
_EXPANDED = re.compile(r"[\\$`]")
# Bytes to text: unchanged outside NULs; inside, a JSON string that escapes YAML's line breaks and non-characters.
_STRINGS = (
    "{",
    "  for (i = 1; i <= NF; i++) {",
    "    byte = $i + 0",
    '    if (byte == 0) { inside = !inside; printf "\\""; continue }',
    '    if (!inside) { printf "%c", byte; continue }',
    "    if (byte < 128) { left = 0; code = byte }",
    "    else if (byte < 192) { left--; code = code * 64 + byte - 128 }",
    "    else if (byte < 224) { left = 1; code = byte - 192 }",
    "    else if (byte < 240) { left = 2; code = byte - 224 }",
    "    else { left = 3; code = byte - 240 }",
    '    text = (byte < 128 || byte > 191 ? "" : text) sprintf("%c", byte)',
    "    if (left > 0) continue",
    '    if (code == 34 || code == 92) printf "\\\\%s", text',
    "    else if (code < 32 || code > 126 && code < 160 || code == 8232 || code == 8233 ||",
    '      code == 65279 || code == 65534 || code == 65535) printf "\\\\u%04x", code',
    '    else printf "%s", text',
    "  }",
    "}",
)


def write_document(value: Map, target: str, lowering: Lowering, first: Word = ()) -> tuple[Command, ...]:
    """Return the commands that write the line *first* and *value* to the file *target* in the job's folder."""
    parts = _parts(value)
    path = f'"$pipegen/{target}"'
    constant_lines = _constant_lines(parts)
    if constant_lines is not None:
        if _is_here_document(constant_lines, lowering):
            return (Command(here_document((f"cat >{path}",), constant_lines, first)),)
        return (Command(redirected(printed(constant_lines, first), path)),)
    raw = f'"$pipegen/{target}.raw"'
    body = (*(printed((), first) if first else ()), *_printed(parts, lowering))
    return (
        Command(("{", *indented(body), f"}} >{raw}"), f"{target}, with run-time values between NULs"),
        Command(redirected(printed(_STRINGS), '"$pipegen/strings.awk"'), "converts them to JSON strings"),
        Command(
            (
                f'od -An -v -tu1 {raw} >"$pipegen/bytes"',
                f'LC_ALL=C awk -f "$pipegen/strings.awk" "$pipegen/bytes" >{path}',
            )
        ),
    )


def document_lines(value: Map, lowering: Lowering) -> Sequence[str] | None:
    """Return the lines of *value* if they can be in a here-document."""
    lines = _constant_lines(_parts(value))
    return lines if lines is not None and _is_here_document(lines, lowering) else None


def here_document(command: Sequence[str], lines: Sequence[str], first: Word) -> tuple[str, ...]:
    """Return *command*, which reads the line *first* and *lines*; the shell expands only *first* in them."""
    texts = ["".join(map(_in_document, first))] if first else []
    return (
        *command[:-1],
        f"{command[-1]} <<{_END}",
        *texts,
        *(_in_document(Literal(line)) for line in lines),
        _END,
    )


def _is_here_document(lines: Sequence[str], lowering: Lowering) -> bool:
    """Return whether *lines* can be in a here-document."""
    return lowering.host.keeps_lines and _END not in lines


def _parts(value: Map) -> tuple[_Part, ...]:
    return tuple(_block(value, "")) or (_Line(("{}",)),)


def _constant_lines(parts: Sequence[_Part]) -> list[str] | None:
    """Return the lines of *parts* if all are known at compile time."""
    lines = [part.constant for part in parts if isinstance(part, _Line)]
    constant_lines = [line for line in lines if line is not None]
    return constant_lines if len(constant_lines) == len(parts) else None


def _in_document(fragment: Fragment) -> str:
    if isinstance(fragment, Literal):
        return _EXPANDED.sub(r"\\\g<0>", fragment.text)
    return between_quotes((fragment,))


def _block(value: Expression, indent: str) -> Iterator[_Part]:
    """Yield the lines of a map or list in block style."""
    match value:
        case Map():
            for key, entry in value.entries:
                yield from _entry((indent, *_scalar(key), ":"), entry, indent)
        case List():
            for item in value.items:
                yield from _list_item(item, indent)


def _list_item(item: Expression, indent: str) -> Iterator[_Part]:
    if not isinstance(item, Map) or not item.entries:
        yield from _entry((f"{indent}-",), item, indent)
        return
    # The first key is on the line of the dash.
    first, *others = _block(item, f"{indent}  ")
    yield _Line((f"{indent}- ", *first.pieces[1:])) if isinstance(first, _Line) else first
    yield from others


def _entry(start: tuple[str | Text, ...], value: Expression, indent: str) -> Iterator[_Part]:
    """Yield the lines of *value* after *start*."""
    match value:
        case Map(entries=entries) if entries:
            yield _Line(start)
            yield from _block(value, f"{indent}  ")
        case List(items=items) if any(isinstance(item, Loop) for item in items):
            # In brackets, the list is valid YAML even if no loop yields an item.
            yield from _flow((*start, " "), value, f"{indent}  ", end="")
        case List(items=items) if items:
            short = _short_list(items)
            yield _Line((*start, " ", short) if short else start)
            yield from _block(value, f"{indent}  ") if not short else ()
        case _:
            yield _Line((*start, " ", *_scalar(value)))


def _short_list(items: Sequence[Expression]) -> str:
    """Return *items* in brackets if all are known scalars and fit into a line, else ""."""
    scalars = [_Line(_scalar(item)).constant for item in items if isinstance(item, Text | Constant)]
    text = f"[{', '.join(scalar or '' for scalar in scalars)}]"
    return text if len(scalars) == len(items) and None not in scalars and len(text) <= _SHORT else ""


def _flow(start: tuple[str | Text, ...], value: Expression, indent: str, end: str = ",") -> Iterator[_Part]:
    """Yield the lines of *value* in brackets; YAML allows a comma after the last item."""
    match value:
        case Map(entries=entries) if entries:
            yield _Line((*start, "{"))
            for key, entry in entries:
                yield from _flow((f"{indent}  ", *_scalar(key), ": "), entry, f"{indent}  ")
            yield _Line((f"{indent}}}{end}",))
        case List(items=items) if items:
            yield _Line((*start, "["))
            for item in items:
                yield from _flow_item(item, f"{indent}  ")
            yield _Line((f"{indent}]{end}",))
        case _:
            yield _Line((*start, *_scalar(value), end))


def _flow_item(item: Expression, indent: str) -> Iterator[_Part]:
    if isinstance(item, Loop):
        yield _Repeat(item, indent)
    else:
        yield from _flow((indent,), item, indent)


def _scalar(value: Expression) -> tuple[str | Text, ...]:
    match value:
        case Text() if value.constant is None:
            return (value,)
        case Text():
            return (plain_scalar(value.constant or ""),)
        case Constant():
            return (plain_scalar(value),)
        case Map():
            return ("{}",)
        case _:
            return ("[]",)


def _printed(parts: Sequence[_Part], lowering: Lowering) -> tuple[str, ...]:
    """Return the commands that print *parts*."""
    lines: list[str] = []
    constant_lines: list[str] = []
    for part in parts:
        if isinstance(part, _Line) and part.constant is not None:
            constant_lines.append(part.constant)
            continue
        lines += printed(constant_lines) if constant_lines else ()
        constant_lines = []
        lines += [_printed_line(part, lowering)] if isinstance(part, _Line) else _repeated(part, lowering)
    return (*lines, *(printed(constant_lines) if constant_lines else ()))


def _printed_line(line: _Line, lowering: Lowering) -> str:
    text_format = "".join(printf_format(piece) if isinstance(piece, str) else "\\0%s\\0" for piece in line.pieces)
    words = [word(piece, lowering) for piece in line.pieces if isinstance(piece, Text)]
    return " ".join(
        ("printf", single_quoted(f"{text_format}\\n"), *(f'"{between_quotes(fragments)}"' for fragments in words))
    )


def _repeated(repeat: _Repeat, lowering: Lowering) -> tuple[str, ...]:
    def body(item: Expression, inner: Lowering) -> tuple[str, ...]:
        return _printed(tuple(_flow_item(item, repeat.indent)), inner)

    return repeated(repeat.loop, lowering, body)
