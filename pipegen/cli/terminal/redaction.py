"""Redaction of plain-text secrets of configs in output."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.cli.linting import lint
from pipegen.compiler import analyse
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Diagnostic
from pipegen.diagnostics.redaction import redact, redact_text
from pipegen.diagnostics.report import Report, Stopped
from pipegen.lint.tokens import tokens
from pipegen.source.text import SourceFile


def without_tokens(diagnostics: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return *diagnostics* without tokens of well-known forms; `check` finds and hides more secrets."""
    labels = [
        label for diagnostic in diagnostics for label in (diagnostic.primary, *diagnostic.related) if label is not None
    ]
    return redact(
        diagnostics, {file: _tokens(file.text) for file in dict.fromkeys(label.span.file for label in labels)}
    )


def text_without_tokens(text: str) -> str:
    """Return *text* of a file with content of a config, without tokens of well-known forms."""
    return redact_text(text, _tokens(text))


def plain_secrets(file: SourceFile) -> tuple[str, ...]:
    """Return the texts in *file* that `check` reports as secrets."""
    report = Report()
    try:
        lint(analyse(file, (), report), report)
    except Stopped:
        return _tokens(file.text)
    spans = [
        diagnostic.primary.span
        for diagnostic in report.diagnostics()
        if diagnostic.code == codes.PLAIN_SECRET and diagnostic.primary
    ]
    return tuple(dict.fromkeys((*(span.text for span in spans), *_tokens(file.text))))


def _tokens(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text[token.start : token.end] for token in tokens(text)))
