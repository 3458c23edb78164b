"""Diagnostics for small texts, for tests."""

from __future__ import annotations

from pipegen.diagnostics.model import Code, Diagnostic, Label, Severity
from pipegen.source.text import SourceFile, Span

CODE = Code("PG301", "unknown-stage", Severity.ERROR)


def file(text: str, path: str = "pipegen.yaml") -> SourceFile:
    """Return a file with *text*."""
    return SourceFile(path, text)


def label(source: SourceFile, marked: str, text: str = "") -> Label:
    """Return a label at the first occurrence of *marked* in *source*."""
    start = source.text.index(marked)
    return Label(Span(source, start, start + len(marked)), text)


def diagnostic(
    primary: Label | None,
    *related: Label,
    message: str = "wrong",
    hint: str | None = None,
    severity: Severity = Severity.ERROR,
) -> Diagnostic:
    """Return a diagnostic with the code of the tests."""
    return Diagnostic(Code(CODE.number, CODE.name, severity), message, primary, related, hint)
