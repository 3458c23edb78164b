"""Redaction of secrets in the source lines of diagnostics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Diagnostic, Label
from pipegen.source.text import SourceFile, Span
from pipegen.structs import replace

# The number of characters that stay visible of a long secret, so that users can identify it.
_SHOWN, _LONG = 4, 20


def redact_plain_secrets(diagnostics: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return *diagnostics* with the secrets that PG704 reports redacted in their source lines."""
    secrets: dict[SourceFile, dict[str, None]] = {}
    for diagnostic in diagnostics:
        if diagnostic.code.number == codes.PLAIN_SECRET.number and diagnostic.primary is not None:
            secrets.setdefault(diagnostic.primary.span.file, {})[diagnostic.primary.span.text] = None
    return redact(diagnostics, {file: tuple(texts) for file, texts in secrets.items()})


def redact(diagnostics: Sequence[Diagnostic], secrets: Mapping[SourceFile, Sequence[str]]) -> tuple[Diagnostic, ...]:
    """Return *diagnostics* with the *secrets* of each file redacted in their source lines."""
    files = {file: replace(file, text=redact_text(file.text, texts)) for file, texts in secrets.items() if texts}
    return tuple(_redacted(diagnostic, files) for diagnostic in diagnostics) if files else tuple(diagnostics)


def redact_text(text: str, secrets: Iterable[str]) -> str:
    """Return *text* with the characters of *secrets* replaced by stars."""
    for secret in sorted(secrets, key=len, reverse=True):
        shown = secret[:_SHOWN] if len(secret) >= _LONG else ""
        stars = "".join(character if character in "\r\n" else "*" for character in secret[len(shown) :])
        text = text.replace(secret, shown + stars)
    return text


def _redacted(diagnostic: Diagnostic, files: dict[SourceFile, SourceFile]) -> Diagnostic:
    primary = _moved(diagnostic.primary, files) if diagnostic.primary is not None else None
    return replace(diagnostic, primary=primary, related=tuple(_moved(label, files) for label in diagnostic.related))


def _moved(label: Label, files: dict[SourceFile, SourceFile]) -> Label:
    span = label.span
    return Label(Span(files.get(span.file, span.file), span.start, span.end), label.text)
