"""Configs written in tests."""

from __future__ import annotations

from textwrap import dedent

from pipegen.config.read import read
from pipegen.diagnostics.model import Diagnostic
from pipegen.diagnostics.report import Report, Stopped
from pipegen.source.text import SourceFile
from pipegen.source.tree import Node


def written(text: str) -> SourceFile:
    """Return *text*, without the indentation that all its lines share, as a file."""
    return SourceFile("pipegen.yaml", dedent(text))


def tree_of(text: str) -> Node:
    """Return the tree of *text*, which has nothing wrong with it."""
    report = Report()
    tree = read(written(text), report)

    assert report.diagnostics() == ()
    return tree


def misread(text: str) -> tuple[Diagnostic, ...]:
    """Return what is wrong with *text* as YAML."""
    report = Report()
    try:
        read(written(text), report)
    except Stopped:
        assert report.has_errors()
    return report.diagnostics()


def told(found: Diagnostic) -> tuple[str, str, str]:
    """Return the number, the place and the underlined text of a diagnostic."""
    assert found.primary is not None
    first = found.primary.span.first
    return found.code.number, f"{first.line}:{first.column}", found.primary.span.text
