"""Path filters: `changes` in a condition, and the remainder of the condition once they are evaluated."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache

from pipegen.plan.model import NEVER, Condition, FilesChanged, Pattern
from pipegen.plan.model.logic import atoms, simplified

_CONSTANTS = {True: None, False: NEVER}


def is_filtered(condition: Condition | None) -> bool:
    """Return whether *condition* contains a path filter."""
    return any(isinstance(atom, FilesChanged) for atom in atoms(condition))


def evaluated(condition: Condition | None, changed: Callable[[FilesChanged], bool]) -> Condition | None:
    """Return the remainder of *condition* when files have *changed*; `NEVER` if they make it false."""
    return _without_filters(condition, lambda atom, _: changed(atom))


def unfiltered(condition: Condition | None) -> Condition | None:
    """Return the remainder of *condition* as if all its path filters matched."""
    return _without_filters(condition, lambda _, is_negated: not is_negated)


def _without_filters(condition: Condition | None, changed: Callable[[FilesChanged, bool], bool]) -> Condition | None:
    """Return the remainder of *condition*; *changed* evaluates a path filter that is negated or not."""
    if condition is None:
        return None
    remainder = simplified(
        condition,
        lambda atom, is_negated: changed(atom, is_negated) if isinstance(atom, FilesChanged) else None,
    )
    return _CONSTANTS[remainder] if isinstance(remainder, bool) else remainder


def changed_in(files: Collection[str]) -> Callable[[FilesChanged], bool]:
    """Return a predicate: whether a path filter matches one of *files*."""
    names = frozenset(files)

    @cache
    def has_match(patterns: tuple[Pattern, ...]) -> bool:
        literals = [pattern.literal for pattern in patterns]
        return any(name in names for name in literals) or any(
            pattern.matches_any(files) for pattern, literal in zip(patterns, literals, strict=True) if literal is None
        )

    return lambda atom: has_match(atom.patterns)
