"""Configs for tests."""

from __future__ import annotations

from textwrap import dedent

from pipegen.config.read import read
from pipegen.config.schema.check import check_schema
from pipegen.diagnostics.model import Diagnostic
from pipegen.diagnostics.report import Report, Stopped
from pipegen.source.text import SourceFile
from pipegen.source.tree import Node


def written(text: str) -> SourceFile:
    """Return *text*, without its common indentation, as a file."""
    return SourceFile("pipegen.yaml", dedent(text))


def tree_of(text: str) -> Node:
    """Return the tree of *text*, which must be valid."""
    report = Report()
    tree = read(written(text), report)

    assert report.diagnostics() == ()
    return tree


def misread(text: str) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of reading *text* as YAML."""
    report = Report()
    try:
        read(written(text), report)
    except Stopped:
        assert report.has_errors()
    return report.diagnostics()


def summary(diagnostic: Diagnostic) -> tuple[str, str, str]:
    """Return the code, the location and the underlined text of a diagnostic."""
    assert diagnostic.primary is not None
    first = diagnostic.primary.span.first
    return diagnostic.code.number, f"{first.line}:{first.column}", diagnostic.primary.span.text


def violations(text: str) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of reading *text* and of checking it against the schema."""
    report = Report()
    check_schema(read(SourceFile("pipegen.yaml", text), report), report)
    return report.diagnostics()
