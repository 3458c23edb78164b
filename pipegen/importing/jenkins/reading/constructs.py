"""The constructs of a Jenkinsfile: directives, steps, their arguments, and lines of other Groovy."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipegen.importing.jenkins.reading.syntax import (
    GroovyArgument,
    GroovyAssignment,
    GroovyBlock,
    GroovyCall,
    GroovyList,
    OtherGroovy,
    Statement,
    Value,
)
from pipegen.source.text import Span

_SECTIONS = frozenset(
    {
        *("agent", "environment", "options", "parameters", "triggers", "tools", "when", "post", "steps", "matrix"),
        *("stages", "libraries"),
    }
)
# Blocks of `post` and of a matrix have steps, or directives, in them.
_POST = frozenset(
    {
        *("always", "success", "failure", "unstable", "changed", "fixed", "regression", "aborted", "unsuccessful"),
        "cleanup",
    }
)
_LINE = re.compile(r"^[ \t]*(?!//)(\S)", re.MULTILINE)


def constructs(statement: Statement, section: str = "") -> Iterator[tuple[str, Span]]:
    """Yield the path and location of *statement* in *section*, and of each construct in it."""
    match statement:
        case OtherGroovy():
            yield from _lines(statement.span, "groovy")
        case GroovyAssignment():
            yield f"{section}:NAME", statement.span
        case GroovyCall():
            yield (f"{section}:{statement.name}" if section else statement.name), statement.span
            yield from _inside(statement, section)


def _inside(call: GroovyCall, section: str) -> Iterator[tuple[str, Span]]:
    for argument in call.arguments:
        yield from _argument(argument, f"{section}:{call.name}" if section else call.name)
    if call.block is None:
        return
    if call.name == "script":
        yield from _lines(Span(call.block.span.file, call.block.span.start + 1, call.block.span.end - 1), "script")
        return
    if call.name == "expression":
        return
    inner = call.name if call.name in _SECTIONS else "steps" if call.name in _POST else section
    inner = "" if call.name in ("stage", "pipeline", "stages", "parallel") and section != "steps" else inner
    for statement in call.block.statements:
        yield from constructs(statement, inner)


def _argument(argument: GroovyArgument, path: str) -> Iterator[tuple[str, Span]]:
    if argument.name:
        yield f"{path}:{argument.name}", argument.span
    yield from _value(argument.value, path)


def _value(value: Value, path: str) -> Iterator[tuple[str, Span]]:
    match value:
        case GroovyCall():
            yield f"{path}:{value.name}", value.span
            for argument in value.arguments:
                yield from _argument(argument, f"{path}:{value.name}")
        case GroovyList():
            for item in value.items:
                yield from _value(item, path)
        case GroovyBlock():
            for statement in value.statements:
                yield from constructs(statement, "steps")


def _lines(span: Span, path: str) -> Iterator[tuple[str, Span]]:
    for match in _LINE.finditer(span.text):
        yield path, Span(span.file, span.start + match.start(1), span.start + match.end(1))
