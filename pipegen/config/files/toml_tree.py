"""TOML to the tree, with places: Python's own reader tells none, so they are looked up in the text."""

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
# Python's words end in "(at line 3, column 5)".
_ERROR = re.compile(r"(?P<problem>.*) \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)", re.DOTALL)

_Path = tuple[str, ...]
_Places = dict[_Path, tuple[Span, Span]]


def read_toml(file: SourceFile, report: Report) -> Mapping:
    """Return the tree of *file*; raise `Stopped` when it is no TOML.

    A key that the text does not show where it is looked for stands at the key that holds it.
    """
    whole = Span(file, 0, len(file.text))
    try:
        tree = _node(tomllib.loads(file.text), (), (Span(file, 0, 0), whole), dict(_places(file)))
    except ValueError as error:  # also for a number of more digits than Python reads, or writes
        _report_syntax(str(error), file, report)
        raise Stopped from None
    except RecursionError:
        _report_syntax("lists or tables stand too deep in each other", file, report)
        raise Stopped from None
    return tree if isinstance(tree, Mapping) else Mapping((), whole)


def _report_syntax(words: str, file: SourceFile, report: Report) -> None:
    found = _ERROR.fullmatch(words)
    at = len(file.text)
    if found is not None and found["line"] is not None:
        at = min(file.line_starts[int(found["line"]) - 1] + int(found["column"]) - 1, at)
    problem = found["problem"] if found is not None else words
    report.add(
        codes.INVALID_TOML,
        f"the file is no TOML: {problem[:1].lower()}{problem[1:]}",
        at=Span(file, at, min(at + 1, len(file.text))),
        hint="text stands in quotes, true and false do not, and a list stands in brackets",
    )


def _node(value: Any, path: _Path, place: tuple[Span, Span], places: _Places) -> Node:
    match value:
        case dict():
            entries = []
            for key, inner in value.items():
                found = places.get((*path, key), place)
                entries.append(Entry(Scalar(key, found[0]), _node(inner, (*path, key), found, places)))
            return Mapping(tuple(entries), place[1])
        case list():
            return Sequence(tuple(_node(item, path, place, places) for item in value), place[1])
        case bool():
            return Scalar(str(value).lower(), place[1], ScalarKind.BOOLEAN)
        case int():
            return Scalar(str(value), place[1], ScalarKind.INTEGER)
        case float():
            return Scalar(str(value), place[1], ScalarKind.NUMBER)
        case _:
            return Scalar(str(value), place[1])


def _places(file: SourceFile) -> Iterator[tuple[_Path, tuple[Span, Span]]]:
    """Yield where keys stand, each with the first line of its value; a table is its own value."""
    table: _Path = ()
    for line in _LINE.finditer(file.text):
        if line["table"] is not None:
            table = _path(line["table"])
            span = Span(file, *line.span("table"))
            yield table, (span, span)
            continue
        yield from _pairs(file, table, line)


def _pairs(file: SourceFile, table: _Path, line: re.Match[str]) -> Iterator[tuple[_Path, tuple[Span, Span]]]:
    """Yield the place of the key on *line*, and of those in its value, a table on one line."""
    path, start = (*table, *_path(line["keys"])), line.start("value")
    found = _VALUE.match(line["value"])
    value = found[0].rstrip() if found is not None else ""
    yield path, (Span(file, *line.span("keys")), Span(file, start, start + len(value)))
    if value.startswith("{"):
        for pair in _PAIR.finditer(file.text, start, start + len(value)):
            yield (*path, *_path(pair["keys"])), (Span(file, *pair.span("keys")), Span(file, *pair.span("value")))


def _path(words: str) -> _Path:
    return tuple(step[0].strip("\"'") for step in _STEP.finditer(words))
