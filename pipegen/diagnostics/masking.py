"""Diagnostics that do not show the secrets that stand in the lines they point at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Diagnostic, Label
from pipegen.source.text import SourceFile, Span
from pipegen.structs import replace

# How much of a long secret may be seen, so that one finds out which it is.
_SHOWN, _LONG = 4, 20


def masked(diagnostics: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return *diagnostics* with their places in files in which each secret that one of them tells of is starred out."""
    secrets: dict[SourceFile, dict[str, None]] = {}
    for found in diagnostics:
        if found.code.number == codes.PLAIN_SECRET.number and found.primary is not None:
            secrets.setdefault(found.primary.span.file, {})[found.primary.span.text] = None
    return hidden(diagnostics, {file: tuple(texts) for file, texts in secrets.items()})


def hidden(diagnostics: Sequence[Diagnostic], secrets: Mapping[SourceFile, Sequence[str]]) -> tuple[Diagnostic, ...]:
    """Return *diagnostics* with the *secrets* starred out in the files that these stand in."""
    files = {file: replace(file, text=starred(file.text, texts)) for file, texts in secrets.items() if texts}
    return tuple(_masked(found, files) for found in diagnostics) if files else tuple(diagnostics)


def starred(text: str, secrets: Iterable[str]) -> str:
    """Return *text* with stars in the place of *secrets*, as many as these have characters."""
    for secret in sorted(secrets, key=len, reverse=True):
        shown = secret[:_SHOWN] if len(secret) >= _LONG else ""
        stars = "".join(one if one in "\r\n" else "*" for one in secret[len(shown) :])
        text = text.replace(secret, shown + stars)
    return text


def _masked(found: Diagnostic, files: dict[SourceFile, SourceFile]) -> Diagnostic:
    primary = _moved(found.primary, files) if found.primary is not None else None
    return replace(found, primary=primary, related=tuple(_moved(label, files) for label in found.related))


def _moved(label: Label, files: dict[SourceFile, SourceFile]) -> Label:
    span = label.span
    return Label(Span(files.get(span.file, span.file), span.start, span.end), label.text)
