"""Redaction of tokens of well-known forms in output."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.diagnostics.model import Diagnostic
from pipegen.diagnostics.redaction import redact, redact_text
from pipegen.lint.tokens import tokens


def without_tokens(diagnostics: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return *diagnostics* without tokens of well-known forms; `check` finds and hides more secrets."""
    labels = [
        label for diagnostic in diagnostics for label in (diagnostic.primary, *diagnostic.related) if label is not None
    ]
    return redact(
        diagnostics, {file: tokens_in(file.text) for file in dict.fromkeys(label.span.file for label in labels)}
    )


def text_without_tokens(text: str) -> str:
    """Return *text* of a file with content of a config, without tokens of well-known forms."""
    return redact_text(text, tokens_in(text))


def tokens_in(text: str) -> tuple[str, ...]:
    """Return the tokens of well-known forms in *text*."""
    return tuple(dict.fromkeys(text[token.start : token.end] for token in tokens(text)))
