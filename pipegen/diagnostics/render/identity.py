"""What is told of a diagnostic where its place and its severity are told by other means."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence

from pipegen.diagnostics.model import Diagnostic


def words(found: Diagnostic) -> str:
    """Return the message, and the hint on the next line."""
    return found.message if found.hint is None else f"{found.message}\nhint: {found.hint}"


def path_of(found: Diagnostic) -> str | None:
    """Return the path from the root of the repository of the file that *found* is about; None for no file."""
    return found.primary.span.file.from_root if found.primary else None


def fingerprints(diagnostics: Sequence[Diagnostic]) -> tuple[str, ...]:
    """Return what tells each of *diagnostics* from all others, and stays when lines move."""
    repeats: Counter[tuple[str, ...]] = Counter()
    found = []
    for one in diagnostics:
        key = (one.code.number, path_of(one) or "", one.message)
        repeats[key] += 1
        text = "\0".join((*key, str(repeats[key])))
        found.append(hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest())
    return tuple(found)
