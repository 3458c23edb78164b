"""Path filters: `changes` in a condition, and the remainder of the condition once they are evaluated."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache
from typing import TypeAlias

from pipegen.plan.model import NEVER, AllOf, AnyOf, Condition, FilesChanged, Not, Pattern
from pipegen.plan.model.logic import atoms

# Whether files that a filter names have changed; the flag is whether the filter is under a `not`.
_Answer: TypeAlias = "Callable[[FilesChanged, bool], bool]"
_CONSTANTS = {True: None, False: NEVER}


def is_filtered(condition: Condition | None) -> bool:
    """Return whether *condition* contains a path filter."""
    return any(isinstance(atom, FilesChanged) for atom in atoms(condition))


def evaluated(condition: Condition | None, changed: Callable[[FilesChanged], bool]) -> Condition | None:
    """Return the remainder of *condition* when files have *changed*; `NEVER` if they make it false."""
    remainder = _evaluated(condition, lambda atom, _: changed(atom))
    return _CONSTANTS[remainder] if isinstance(remainder, bool) else remainder


def unfiltered(condition: Condition | None) -> Condition | None:
    """Return the remainder of *condition* as if all its path filters matched."""
    remainder = _evaluated(condition, lambda _, is_negated: not is_negated)
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


def _evaluated(condition: Condition | None, answer: _Answer, *, is_negated: bool = False) -> Condition | bool | None:
    match condition:
        case FilesChanged():
            return answer(condition, is_negated)
        case Not():
            inner = _evaluated(condition.condition, answer, is_negated=not is_negated)
            if isinstance(inner, bool):
                return not inner
            return condition if inner is condition.condition or inner is None else Not(inner)
        case AllOf() | AnyOf():
            parts = [_evaluated(part, answer, is_negated=is_negated) for part in condition.conditions]
            return _joined(condition, parts)
    return condition


def _joined(condition: AllOf | AnyOf, parts: list[Condition | bool | None]) -> Condition | bool:
    decides = isinstance(condition, AnyOf)
    if any(part is decides for part in parts):
        return decides
    remaining = tuple(dict.fromkeys(part for part in parts if part is not None and not isinstance(part, bool)))
    if len(remaining) == 1:
        return remaining[0]
    if remaining == condition.conditions:
        return condition if remaining else not decides
    return type(condition)(remaining) if remaining else not decides
