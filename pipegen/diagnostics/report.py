"""Where diagnostics are collected."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import get_close_matches
from functools import lru_cache

from pipegen.diagnostics.model import Code, Diagnostic, Fix, Label, Severity
from pipegen.diagnostics.policy import Ignore, SeverityPolicy
from pipegen.source.text import Span


class Stopped(Exception):  # noqa: N818 - it is no error: the report holds what is wrong
    """Raised after a stage that left errors; it says nothing itself."""


class Report:
    """The diagnostics found so far, told as the user wishes: see `heed` and `ignore`."""

    def __init__(self) -> None:
        self._found: dict[Diagnostic, None] = {}
        self._ignores: dict[Ignore, None] = {}
        self._policy = SeverityPolicy()

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

    def take(self, other: Report, where: Callable[[Diagnostic], bool] = lambda _: True) -> None:
        """Add what *other* has found *where* that holds; of two with the same message and place, the first counts."""
        known = {(one.code, one.message, one.primary) for one in self._found}
        new = (one for one in other._found if (one.code, one.message, one.primary) not in known)
        self._found |= dict.fromkeys(filter(where, new))
        self._ignores |= other._ignores

    def heed(self, policy: SeverityPolicy) -> None:
        """Give codes the severities of *policy*."""
        self._policy = policy

    def ignore(self, ignore: Ignore) -> None:
        """Tell nothing of what *ignore* covers."""
        self._ignores[ignore] = None

    def unused(self) -> tuple[Ignore, ...]:
        """Return what is ignored in vain, in the order in which it was read."""
        return tuple(one for one in self._ignores if not any(one.covers(found) for found in self._found))

    def stop_if_errors(self) -> None:
        """Raise `Stopped` when there are errors."""
        if self.has_errors():
            raise Stopped

    def has_errors(self, *, strict: bool | None = None) -> bool:
        """Return whether anything stops a compilation.

        With *strict*, true or false, warnings count too where it is true, or the policy is strict.
        """
        is_strict = strict is not None and (strict or self._policy.is_strict)
        counted = {Severity.ERROR, Severity.WARNING} if is_strict else {Severity.ERROR}
        return any(found.severity in counted for found in self._told())

    def errors(self) -> tuple[Diagnostic, ...]:
        """Return the diagnostics that are errors by their codes, whatever the policy makes of them."""
        return tuple(one for one in self._found if one.severity is Severity.ERROR)

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Return what was found, by file, place, severity and code."""
        return tuple(sorted(self._told(), key=_order))

    def _told(self) -> Iterator[Diagnostic]:
        if not self._ignores and not self._policy.severities:
            yield from self._found
            return
        for found in self._found:
            judged = self._policy.judge(found)
            if judged is not None and not any(one.covers(found) for one in self._ignores):
                yield judged


def _order(found: Diagnostic) -> tuple[str, int, int, str, str]:
    path, start = (found.primary.span.file.path, found.primary.span.start) if found.primary else ("", 0)
    return path, start, found.severity.rank, found.code.number, found.message


def suggestion(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that *word* most likely means, if any comes close; among many words, one slip away."""
    words = tuple(known)
    if len(words) > _MANY:
        near = [places[0] for part in _shortened(word) if (places := _by_shortened(words).get(part))]
        return words[min(near)] if near else None
    return closest(word, words, cutoff=0.6)


def closest(word: str, words: Sequence[str], *, cutoff: float) -> str | None:
    """Return which of *words* is most like *word*, if any is by *cutoff*, from 0 to 1."""
    likely = [one for one in words if _may_be_close(word, one, cutoff)]
    return next(iter(get_close_matches(word, likely, n=1, cutoff=cutoff)), None) if likely else None


def _may_be_close(word: str, other: str, cutoff: float) -> bool:
    """Return whether enough characters of each word stand in the other one: most pairs need no closer look."""
    least = cutoff * (len(word) + len(other)) / 2
    if len(word) < least or len(other) < least:
        return False
    return sum(map(other.__contains__, word)) >= least and sum(map(word.__contains__, other)) >= least


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
