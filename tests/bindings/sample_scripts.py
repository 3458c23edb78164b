"""Parsed scripts for tests."""

from __future__ import annotations

from pipegen.bindings.script.entry import parse_script
from pipegen.bindings.script.model import ParsedScript
from pipegen.diagnostics.report import Report
from pipegen.source.text import SourceFile, Span
from pipegen.source.tree import Scalar


def scalar(text: str) -> Scalar:
    """Return *text* as a scalar that spans its whole file."""
    return Scalar(text, Span(SourceFile("pipeline.yml", text), 0, len(text)))


def parsed(text: str, *stages: str) -> ParsedScript:
    """Return the parsed script *text*, which must be valid."""
    report = Report()
    script = parse_script(scalar(text), stages, report, is_bash=True)

    assert report.diagnostics() == ()
    return script
