"""Diagnostics as GitHub's workflow commands, one per line: each becomes an annotation.

    ::error file=ci/pipegen.yaml,line=5,endLine=5,col=3,endColumn=9,title=PG301 unknown-stage::message

https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands; escaping is that of
@actions/core.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pipegen.diagnostics.model import Diagnostic, Severity
from pipegen.diagnostics.render.identity import path_of, words
from pipegen.visible import visible

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
_IN_TEXT = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_IN_VALUE: Mapping[str, str] = {**_IN_TEXT, ":": "%3A", ",": "%2C"}


def render(diagnostics: Sequence[Diagnostic], *, colour: bool = False) -> str:  # noqa: ARG001 - GitHub colours them
    """Return *diagnostics* in order; "" without any."""
    return "".join(f"{_command(diagnostic)}\n" for diagnostic in diagnostics)


def _command(diagnostic: Diagnostic) -> str:
    properties = ",".join(f"{key}={_escaped(value, _IN_VALUE)}" for key, value in _properties(diagnostic))
    # Control characters are escaped line by line: the line break before the hint stays.
    text = "\n".join(visible(line) for line in words(diagnostic).split("\n"))
    return f"::{_COMMANDS[diagnostic.severity]} {properties}::{_escaped(text, _IN_TEXT)}"


def _properties(diagnostic: Diagnostic) -> Iterator[tuple[str, str]]:
    path = path_of(diagnostic)
    if diagnostic.primary is not None and path is not None:
        first, last = diagnostic.primary.span.first, diagnostic.primary.span.last
        yield "file", visible(path)
        yield "line", str(first.line)
        yield "endLine", str(last.line)
        # GitHub accepts columns only for a single line.
        if first.line == last.line:
            yield "col", str(first.column)
            yield "endColumn", str(last.column)
    yield "title", f"{diagnostic.code.number} {diagnostic.code.name}"


def _escaped(text: str, escapes: Mapping[str, str]) -> str:
    return "".join(escapes.get(character, character) for character in text)
