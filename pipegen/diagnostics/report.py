"""Collects diagnostics; suggestions for typos in messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher, get_close_matches
from functools import lru_cache

from pipegen.diagnostics.model import Code, Diagnostic, Fix, Label, Severity
from pipegen.diagnostics.policy import Ignore, SeverityPolicy
from pipegen.source.text import Span


class Stopped(Exception):  # noqa: N818 - not an error itself: the report has the errors
    """Raised after a stage that reported errors; it has no message."""


class Report:
    """The diagnostics found so far, filtered by the user's policy and ignores."""

    def __init__(self) -> None:
        self._diagnostics: dict[Diagnostic, None] = {}
        self._ignores: dict[Ignore, None] = {}
        self._policy = SeverityPolicy()

    def add(
        self,
        code: Code,
        message: str,
        *,
        at: Span | None,
        label: str = "",
        related: Iterable[Label] = (),
        hint: str | None = None,
        fix: Fix | None = None,
    ) -> None:
        """Add a diagnostic; an exact repeat is dropped (an alias visits its anchor twice)."""
        primary = Label(at, label) if at is not None else None
        self._diagnostics[Diagnostic(code, message, primary, tuple(related), hint, fix)] = None

    def take(self, other: Report, where: Callable[[Diagnostic], bool] = lambda _: True) -> None:
        """Add the diagnostics of *other* for which *where* is true, except repeated messages at one span."""
        known = {(diagnostic.code, diagnostic.message, diagnostic.primary) for diagnostic in self._diagnostics}
        new = (
            diagnostic
            for diagnostic in other._diagnostics
            if (diagnostic.code, diagnostic.message, diagnostic.primary) not in known
        )
        self._diagnostics |= dict.fromkeys(filter(where, new))
        self._ignores |= other._ignores

    def apply_policy(self, policy: SeverityPolicy) -> None:
        """Use the severities of *policy*."""
        self._policy = policy

    def ignore(self, ignore: Ignore) -> None:
        """Suppress the diagnostics that *ignore* covers."""
        self._ignores[ignore] = None

    def unused(self) -> tuple[Ignore, ...]:
        """Return the ignores that cover no diagnostic, in the order in which they were read."""
        return tuple(
            ignore for ignore in self._ignores if not any(ignore.covers(diagnostic) for diagnostic in self._diagnostics)
        )

    def stop_if_errors(self) -> None:
        """Raise `Stopped` if there are errors."""
        if self.has_errors():
            raise Stopped

    def has_errors(self, *, strict: bool | None = None) -> bool:
        """Return whether there are errors.

        If *strict* is not None, warnings count too if it is true or the policy is strict.
        """
        is_strict = strict is not None and (strict or self._policy.is_strict)
        counted = {Severity.ERROR, Severity.WARNING} if is_strict else {Severity.ERROR}
        return any(diagnostic.severity in counted for diagnostic in self._reported())

    def errors(self) -> tuple[Diagnostic, ...]:
        """Return the diagnostics that are errors by their codes, whatever the policy makes of them."""
        return tuple(diagnostic for diagnostic in self._diagnostics if diagnostic.severity is Severity.ERROR)

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Return the diagnostics sorted by file, position, severity and code."""
        return tuple(sorted(self._reported(), key=_order))

    def _reported(self) -> Iterator[Diagnostic]:
        if not self._ignores and not self._policy.severities:
            yield from self._diagnostics
            return
        for diagnostic in self._diagnostics:
            judged = self._policy.apply(diagnostic)
            if judged is not None and not any(ignore.covers(diagnostic) for ignore in self._ignores):
                yield judged


def _order(diagnostic: Diagnostic) -> tuple[str, int, int, str, str]:
    path, start = (diagnostic.primary.span.file.path, diagnostic.primary.span.start) if diagnostic.primary else ("", 0)
    return path, start, diagnostic.severity.rank, diagnostic.code.number, diagnostic.message


def suggestion(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that *word* is probably a typo of; of many known words, only one edit away.

    A short word with another first letter is not a typo, unless two letters are swapped.
    """
    words = tuple(known)
    if len(words) > _MANY:
        candidates = [indexes[0] for part in _shortened(word) if (indexes := _by_shortened(words).get(part))]
        return words[min(candidates)] if candidates else None
    similar = closest(word, words, cutoff=0.6)
    if similar is None or len(word) > _SHORT or word[:1] == similar[:1] or sorted(word) == sorted(similar):
        return similar
    return None


def closest(word: str, words: Sequence[str], *, cutoff: float) -> str | None:
    """Return the word most similar to *word*, if its similarity, from 0 to 1, reaches *cutoff*.

    Of equally similar words, one with the same first letter: `retry` for `retries`, not `services`.
    """
    candidates = [known for known in words if _may_be_close(word, known, cutoff)]
    matcher = SequenceMatcher(b=word)

    def similarity(known: str) -> tuple[float, bool]:
        matcher.set_seq1(known)
        return matcher.ratio(), word[:1] == known[:1]

    return max(get_close_matches(word, candidates, cutoff=cutoff), key=similarity, default=None)


def _may_be_close(word: str, other: str, cutoff: float) -> bool:
    """Return whether the words share enough characters to be compared; most pairs do not."""
    least = cutoff * (len(word) + len(other)) / 2
    if len(word) < least or len(other) < least:
        return False
    return sum(map(other.__contains__, word)) >= least and sum(map(word.__contains__, other)) >= least


# The largest number of known words that are compared one by one.
_MANY = 100
# The most letters of a short word.
_SHORT = 3
# Longer words are not shortened: all their variants would fill the memory.
_LONG = 200


@lru_cache(maxsize=4)
def _by_shortened(words: tuple[str, ...]) -> dict[str, list[int]]:
    """Return the indexes of *words* by their shortened forms."""
    indexes: dict[str, list[int]] = {}
    for index, word in enumerate(words):
        for part in _shortened(word):
            indexes.setdefault(part, []).append(index)
    return indexes


def _shortened(word: str) -> set[str]:
    """Return *word*, and *word* without each of its characters: words one edit apart have one in common."""
    return {word, *(word[:at] + word[at + 1 :] for at in range(len(word) if len(word) <= _LONG else 0))}


def listed(words: Sequence[str], *, limit: int = 8) -> str:
    """Return quoted words for a message; words after *limit* are only counted."""
    shown = ", ".join(f'"{word}"' for word in words[:limit])
    rest = len(words) - limit
    return f"{shown} and {rest} more" if rest > 0 else shown


def either(words: Sequence[str]) -> str:
    """Return *words* for a message, with commas between them and "or" before the last one."""
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
