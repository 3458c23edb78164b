"""YAML syntax errors in our words."""

from __future__ import annotations

import re

from ruamel.yaml.error import MarkedYAMLError

from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.source.text import SourceFile, Span

# `key: value` in block style, perhaps after dashes; the value is no comment, anchor, tag or block scalar.
_FILLED = re.compile(r"(?P<indent>[ -]*)(?P<key>[^\s#:\"'][^:#]*):[ ]+(?P<value>[^\s#&!|>{\[\"'][^#]*?)\s*(?:#.*)?")

# What the parser says, what we say, and what to do about it.
_PROBLEMS = (
    ("cannot start any token", "this character cannot begin a value", "put the value in quotes"),
    (
        "mapping values are not allowed",
        'a ":" that cannot stand here',
        'check the indentation, or quote a value that holds ": "',
    ),
    (
        "could not find expected ':'",
        'a key without ":"',
        'check the indentation; text over several lines needs quotes or "|"',
    ),
    (
        "expected <block end>",
        "the indentation does not fit the lines above",
        "line up the keys of one map, and the dashes of one list",
    ),
    ("unexpected end of stream", "a quote is not closed", 'close it, or write the text as a block with "|"'),
    ("found undefined alias", "an alias of something that is not defined", "define the anchor above it"),
    ("expected ',' or", "a list or map on one line is not closed rightly", "check its commas, brackets and braces"),
    ("found unknown escape", "an unknown escape in double quotes", "use single quotes, or double the backslash"),
    ("nested too deep", "values are nested too deep to be read", None),
)


def report_syntax(error: MarkedYAMLError, file: SourceFile, report: Report) -> None:
    """Report a syntax error where it shows, and where it began when the parser knows."""
    offset = min(error.problem_mark.index if error.problem_mark else 0, len(file.text))
    if "mapping values are not allowed" in (error.problem or "") and _report_filled(offset, file, report):
        return
    message, hint = _words(error, file, offset)
    also = []
    if error.context_mark is not None and error.context_mark.index < offset:
        start = error.context_mark.index
        also.append(Label(Span(file, start, start + 1), (error.context or "").strip()))
    report.add(codes.YAML_SYNTAX, message, at=Span(file, offset, offset + 1), also=also, hint=hint)


def _words(error: MarkedYAMLError, file: SourceFile, offset: int) -> tuple[str, str | None]:
    problem = error.problem or "this is not YAML"
    if file.text[offset : offset + 1] == "\t":
        return "a tab where YAML allows only blanks", "indent with blanks"
    for theirs, ours, hint in _PROBLEMS:
        if theirs in problem:
            return ours, hint
    return problem, None


def _report_filled(offset: int, file: SourceFile, report: Report) -> bool:
    """Report a map indented under a key that has a value already; False when that is not what happened."""
    line = file.position(offset).line
    below = file.line(line)
    above = next((number for number in range(line - 1, 0, -1) if file.line(number).split("#")[0].strip()), None)
    found = _FILLED.fullmatch(file.line(above)) if above else None
    if above is None or found is None or len(below) - len(below.lstrip()) <= len(found["indent"]):
        return False
    start, key = file.line_starts[above - 1], found["key"].strip()
    nested = file.line_starts[line - 1] + len(below) - len(below.lstrip())
    report.add(
        codes.VALUE_AND_MAPPING,
        f'"{key}" has the value "{found["value"]}", so no keys can stand under it',
        at=Span(file, nested, offset),
        label=f'indented under "{key}"',
        also=[Label(Span(file, start + found.start("value"), start + found.end("value")), "this is its value")],
        hint=f'remove "{found["value"]}" to give "{key}" the keys below, or move them out',
    )
    return True
