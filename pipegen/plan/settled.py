"""Conditions with what is known of the parameters put in: `--set` fixes these, a default does not."""

from __future__ import annotations

from pipegen.plan.model import AllOf, AnyOf, Condition, IsSet, Matches, Not, Subject
from pipegen.plan.parameters import Parameters
from pipegen.source.text import Span


def settled(condition: Condition | None, parameters: Parameters, span: Span) -> Condition | None:
    """Return what is left of *condition* once *parameters* are as they are fixed; None where it always holds.

    One that never holds becomes a contradiction, placed at *span*: every engine can say that.
    """
    found = True if condition is None else _settled(condition, parameters)
    if found is True:
        return None
    if found is False:
        is_branch = IsSet(subject=Subject.BRANCH, span=span)
        return AllOf((is_branch, Not(is_branch)))
    return found


def _settled(condition: Condition, parameters: Parameters) -> Condition | bool:
    match condition:
        case AllOf():
            return _joined(AllOf, condition.conditions, parameters)
        case AnyOf():
            return _joined(AnyOf, condition.conditions, parameters)
        case Not():
            inner = _settled(condition.condition, parameters)
            return not inner if isinstance(inner, bool) else Not(inner)
        case Matches(subject=Subject.INPUT) | IsSet(subject=Subject.INPUT):
            value = parameters.constant(condition.name)
            return condition if value is None else _holds(condition, value)
        case _:
            return condition


def _joined(kind: type[AllOf | AnyOf], conditions: tuple[Condition, ...], parameters: Parameters) -> Condition | bool:
    """Return *conditions* as one of *kind*: what decides all of it, or what is left to be decided."""
    is_decided_by = kind is AnyOf
    found = [_settled(one, parameters) for one in conditions]
    if is_decided_by in [one for one in found if isinstance(one, bool)]:
        return is_decided_by
    left = tuple(dict.fromkeys(one for one in found if not isinstance(one, bool)))
    return kind(left) if len(left) > 1 else next(iter(left), not is_decided_by)


def _holds(condition: Matches | IsSet, value: str) -> bool:
    """Return whether *condition* holds for *value*; one that is empty is as good as absent."""
    if isinstance(condition, IsSet):
        return value != ""
    return value != "" and any(pattern.matches(value) for pattern in condition.patterns)
