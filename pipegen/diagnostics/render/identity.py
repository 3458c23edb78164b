"""The text, path and fingerprint of a diagnostic, for formats with their own fields for location and severity."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence

from pipegen.diagnostics.model import Diagnostic


def words(diagnostic: Diagnostic) -> str:
    """Return the message, with the hint on the next line."""
    return diagnostic.message if diagnostic.hint is None else f"{diagnostic.message}\nhint: {diagnostic.hint}"


def path_of(diagnostic: Diagnostic) -> str | None:
    """Return the path of the diagnostic's file from the root of the repository; None without a file."""
    return diagnostic.primary.span.file.from_root if diagnostic.primary else None


def fingerprints(diagnostics: Sequence[Diagnostic]) -> tuple[str, ...]:
    """Return a fingerprint for each of *diagnostics*: unique, and independent of line numbers."""
    repeats: Counter[tuple[str, ...]] = Counter()
    result = []
    for diagnostic in diagnostics:
        key = (diagnostic.code.number, path_of(diagnostic) or "", diagnostic.message)
        repeats[key] += 1
        text = "\0".join((*key, str(repeats[key])))
        result.append(hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest())
    return tuple(result)
