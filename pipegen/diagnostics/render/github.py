"""Diagnostics as GitHub's workflow commands, one on a line: each becomes an annotation.

    ::error file=ci/pipegen.yaml,line=5,endLine=5,col=3,endColumn=9,title=PG301 unknown-stage::what is wrong

https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands; what is escaped, and how, is
what @actions/core does.
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
    """Return *diagnostics* in their order; nothing when there are none."""
    return "".join(f"{_command(found)}\n" for found in diagnostics)


def _command(found: Diagnostic) -> str:
    properties = ",".join(f"{key}={_escaped(value, _IN_VALUE)}" for key, value in _properties(found))
    # Characters that steer a terminal are made visible line by line: the break between them is ours.
    text = "\n".join(visible(line) for line in words(found).split("\n"))
    return f"::{_COMMANDS[found.severity]} {properties}::{_escaped(text, _IN_TEXT)}"


def _properties(found: Diagnostic) -> Iterator[tuple[str, str]]:
    path = path_of(found)
    if found.primary is not None and path is not None:
        first, last = found.primary.span.first, found.primary.span.last
        yield "file", visible(path)
        yield "line", str(first.line)
        yield "endLine", str(last.line)
        # GitHub takes columns of what stands on one line only.
        if first.line == last.line:
            yield "col", str(first.column)
            yield "endColumn", str(last.column)
    yield "title", f"{found.code.number} {found.code.name}"


def _escaped(text: str, escapes: Mapping[str, str]) -> str:
    return "".join(escapes.get(character, character) for character in text)
