"""Where diagnostics are collected."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from functools import lru_cache

from pipegen.diagnostics.model import Code, Diagnostic, Fix, Label, Severity
from pipegen.source.text import Span


class Stopped(Exception):  # noqa: N818 - it is no error: the report holds what is wrong
    """Raised after a stage that left errors; it says nothing itself."""


class Report:
    """The diagnostics found so far."""

    def __init__(self) -> None:
        self._found: dict[Diagnostic, None] = {}

    def add(
        self,
        code: Code,
        message: str,
        *,
        at: Span | None,
        label: str = "",
        also: Iterable[Label] = (),
        hint: str | None = None,
        fix: Fix | None = None,
    ) -> None:
        """Add a diagnostic; an exact repeat is dropped (an alias visits its anchor twice)."""
        primary = Label(at, label) if at is not None else None
        self._found[Diagnostic(code, message, primary, tuple(also), hint, fix)] = None

    def take(self, other: Report) -> None:
        """Add what *other* has found."""
        self._found |= other._found

    def stop_if_errors(self) -> None:
        """Raise `Stopped` when there are errors."""
        if self.has_errors():
            raise Stopped

    def has_errors(self, *, strict: bool = False) -> bool:
        """Return whether anything stops a compilation; *strict* makes warnings count."""
        counted = {Severity.ERROR, Severity.WARNING} if strict else {Severity.ERROR}
        return any(found.severity in counted for found in self._found)

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Return what was found, by file, place, severity and code."""
        return tuple(sorted(self._found, key=_order))


def _order(found: Diagnostic) -> tuple[str, int, int, str, str]:
    path, start = (found.primary.span.file.path, found.primary.span.start) if found.primary else ("", 0)
    return path, start, found.severity.rank, found.code.number, found.message


def near_miss(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that *word* most likely means, if any comes close; among many words, one slip away."""
    words = tuple(known)
    if len(words) > _MANY:
        near = [places[0] for part in _shortened(word) if (places := _by_shortened(words).get(part))]
        return words[min(near)] if near else None
    close = get_close_matches(word, words, n=1, cutoff=0.6)
    return close[0] if close else None


# Words with which a new one can be compared one by one, as often as there are mistakes.
_MANY = 100
# Of longer words, with all that is left of each, a few would fill the memory.
_LONG = 200


@lru_cache(maxsize=4)
def _by_shortened(words: tuple[str, ...]) -> dict[str, list[int]]:
    """Return the places of *words* by what is left of them when a character falls out, or none."""
    found: dict[str, list[int]] = {}
    for place, word in enumerate(words):
        for part in _shortened(word):
            found.setdefault(part, []).append(place)
    return found


def _shortened(word: str) -> set[str]:
    """Return *word*, and *word* without each of its characters: words that are one slip apart have one in common."""
    return {word, *(word[:at] + word[at + 1 :] for at in range(len(word) if len(word) <= _LONG else 0))}


def listed(words: Sequence[str], *, limit: int = 8) -> str:
    """Return quoted words for a message; the rest past *limit* is counted."""
    shown = ", ".join(f'"{word}"' for word in words[:limit])
    rest = len(words) - limit
    return f"{shown} and {rest} more" if rest > 0 else shown
