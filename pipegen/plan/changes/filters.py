"""Path filters: what `changes` says in a condition, and what is left of that once it is answered."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache
from typing import TypeAlias

from pipegen.plan.model import NEVER, AllOf, AnyOf, Condition, FilesChanged, Not, Pattern
from pipegen.plan.model.logic import atoms

# Whether files that a filter names have changed; the flag says whether it stands under a `not`.
_Answer: TypeAlias = "Callable[[FilesChanged, bool], bool]"
_CONSTANTS = {True: None, False: NEVER}


def is_filtered(condition: Condition | None) -> bool:
    """Return whether *condition* asks which files have changed."""
    return any(isinstance(atom, FilesChanged) for atom in atoms(condition))


def answered(condition: Condition | None, changed: Callable[[FilesChanged], bool]) -> Condition | None:
    """Return what is left to ask of *condition* where files have *changed*; `NEVER` where they decide against it."""
    found = _settled(condition, lambda atom, _: changed(atom))
    return _CONSTANTS[found] if isinstance(found, bool) else found


def unfiltered(condition: Condition | None) -> Condition | None:
    """Return what *condition* asks beside which files have changed, as if these decided for it."""
    found = _settled(condition, lambda _, is_negated: not is_negated)
    return _CONSTANTS[found] if isinstance(found, bool) else found


def changed_in(files: Collection[str]) -> Callable[[FilesChanged], bool]:
    """Return what tells of a path filter whether it names one of *files*."""
    names = frozenset(files)

    @cache
    def has_match(patterns: tuple[Pattern, ...]) -> bool:
        literals = [one.literal for one in patterns]
        return any(one in names for one in literals) or any(
            pattern.matches_any(files) for pattern, literal in zip(patterns, literals, strict=True) if literal is None
        )

    return lambda atom: has_match(atom.patterns)


def _settled(condition: Condition | None, answer: _Answer, *, is_negated: bool = False) -> Condition | bool | None:
    match condition:
        case FilesChanged():
            return answer(condition, is_negated)
        case Not():
            inner = _settled(condition.condition, answer, is_negated=not is_negated)
            if isinstance(inner, bool):
                return not inner
            return condition if inner is condition.condition or inner is None else Not(inner)
        case AllOf() | AnyOf():
            parts = [_settled(part, answer, is_negated=is_negated) for part in condition.conditions]
            return _joined(condition, parts)
    return condition


def _joined(condition: AllOf | AnyOf, parts: list[Condition | bool | None]) -> Condition | bool:
    decides = isinstance(condition, AnyOf)
    if any(part is decides for part in parts):
        return decides
    left = tuple(dict.fromkeys(part for part in parts if part is not None and not isinstance(part, bool)))
    if len(left) == 1:
        return left[0]
    if left == condition.conditions:
        return condition if left else not decides
    return type(condition)(left) if left else not decides
