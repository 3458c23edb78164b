"""Secrets that stand in configs in plain text, kept out of what is shown of these."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.compiler import analyse
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Diagnostic
from pipegen.diagnostics.redaction import redact, redact_text
from pipegen.diagnostics.report import Report, Stopped
from pipegen.source.text import SourceFile


def without_tokens(diagnostics: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return *diagnostics* that show no token of a well-known shape; `check`, which looks for more, hides more."""
    labels = [label for found in diagnostics for label in (found.primary, *found.related) if label is not None]
    return redact(
        diagnostics, {file: _tokens(file.text) for file in dict.fromkeys(label.span.file for label in labels)}
    )


def text_without_tokens(text: str) -> str:
    """Return *text*, of a file that holds what a config holds, without tokens of a well-known shape."""
    return redact_text(text, _tokens(text))


def plain_secrets(file: SourceFile) -> tuple[str, ...]:
    """Return the texts in *file* that `check` calls secrets."""
    from pipegen.cli.linting import lint  # noqa: PLC0415 - for the one verb that asks this

    report = Report()
    try:
        lint(analyse(file, (), report), report)
    except Stopped:
        return _tokens(file.text)
    told = [found.primary.span for found in report.diagnostics() if found.code == codes.PLAIN_SECRET and found.primary]
    return tuple(dict.fromkeys((*(span.text for span in told), *_tokens(file.text))))


def _tokens(text: str) -> tuple[str, ...]:
    from pipegen.lint.tokens import tokens  # noqa: PLC0415 - most calls have nothing to show

    return tuple(dict.fromkeys(text[one.start : one.end] for one in tokens(text)))
