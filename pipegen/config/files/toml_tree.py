"""Reads TOML to the tree; Python's parser gives no locations, so they are found in the text."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, Stopped
from pipegen.source.text import SourceFile, Span
from pipegen.source.tree import Entry, Mapping, Node, Scalar, ScalarKind, Sequence

_KEY = r"""[\w-]+|"[^"\n]*"|'[^'\n]*'"""
_KEYS = rf"(?:{_KEY})(?:[ \t]*\.[ \t]*(?:{_KEY}))*"
_LINE = re.compile(
    rf"^[ \t]*(?:\[+[ \t]*(?P<table>{_KEYS})[ \t]*\]+|(?P<keys>{_KEYS})[ \t]*=[ \t]*(?P<value>[^\r\n]*))", re.MULTILINE
)
_PAIR = re.compile(rf"""(?P<keys>{_KEYS})[ \t]*=[ \t]*(?P<value>"[^"\n]*"|'[^'\n]*'|[^\s,}}\]]+)""")
_STEP = re.compile(_KEY)
_VALUE = re.compile(r"""('{3}|"{3}|"[^"]*"|'[^']*'|[^"'#])*""")
# Python's error messages end in "(at line 3, column 5)".
_ERROR = re.compile(r"(?P<problem>.*) \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)", re.DOTALL)

_Path = tuple[str, ...]
_KeySpans = dict[_Path, tuple[Span, Span]]


def read_toml(file: SourceFile, report: Report) -> Mapping:
    """Return the tree of *file*; raise `Stopped` if it is not valid TOML.

    A key that is not found in the text gets the location of its parent key.
    """
    whole = Span(file, 0, len(file.text))
    try:
        tree = _node(tomllib.loads(file.text), (), (Span(file, 0, 0), whole), dict(_key_spans(file)))
    except ValueError as error:  # also for a number with too many digits for Python
        _report_syntax(str(error), file, report)
        raise Stopped from None
    except RecursionError:
        _report_syntax("lists or tables are nested too deeply", file, report)
        raise Stopped from None
    return tree if isinstance(tree, Mapping) else Mapping((), whole)


def _report_syntax(message: str, file: SourceFile, report: Report) -> None:
    match = _ERROR.fullmatch(message)
    at = len(file.text)
    if match is not None and match["line"] is not None:
        at = min(file.line_starts[int(match["line"]) - 1] + int(match["column"]) - 1, at)
    problem = match["problem"] if match is not None else message
    report.add(
        codes.INVALID_TOML,
        f"the file is not valid TOML: {problem[:1].lower()}{problem[1:]}",
        at=Span(file, at, min(at + 1, len(file.text))),
        hint="write text in quotes, true and false without, and lists in brackets",
    )


def _node(value: Any, path: _Path, spans: tuple[Span, Span], key_spans: _KeySpans) -> Node:
    match value:
        case dict():
            entries = []
            for key, inner in value.items():
                inner_spans = key_spans.get((*path, key), spans)
                entries.append(Entry(Scalar(key, inner_spans[0]), _node(inner, (*path, key), inner_spans, key_spans)))
            return Mapping(tuple(entries), spans[1])
        case list():
            return Sequence(tuple(_node(item, path, spans, key_spans) for item in value), spans[1])
        case bool():
            return Scalar(str(value).lower(), spans[1], ScalarKind.BOOLEAN)
        case int():
            return Scalar(str(value), spans[1], ScalarKind.INTEGER)
        case float():
            return Scalar(str(value), spans[1], ScalarKind.NUMBER)
        case _:
            return Scalar(str(value), spans[1])


def _key_spans(file: SourceFile) -> Iterator[tuple[_Path, tuple[Span, Span]]]:
    """Yield the path of each key with its span and that of the first line of its value; a table is its own value."""
    table: _Path = ()
    for line in _LINE.finditer(file.text):
        if line["table"] is not None:
            table = _path(line["table"])
            span = Span(file, *line.span("table"))
            yield table, (span, span)
            continue
        yield from _pairs(file, table, line)


def _pairs(file: SourceFile, table: _Path, line: re.Match[str]) -> Iterator[tuple[_Path, tuple[Span, Span]]]:
    """Yield the spans of the key on *line*, and of the keys in its value if it is an inline table."""
    path, start = (*table, *_path(line["keys"])), line.start("value")
    match = _VALUE.match(line["value"])
    value = match[0].rstrip() if match is not None else ""
    yield path, (Span(file, *line.span("keys")), Span(file, start, start + len(value)))
    if value.startswith("{"):
        for pair in _PAIR.finditer(file.text, start, start + len(value)):
            yield (*path, *_path(pair["keys"])), (Span(file, *pair.span("keys")), Span(file, *pair.span("value")))


def _path(words: str) -> _Path:
    return tuple(step[0].strip("\"'") for step in _STEP.finditer(words))
