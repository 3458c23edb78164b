"""File conditions as lists of rules, of which the first that matches decides.

A rule matches if its `if`, its `changes` and its `exists` all do, and says that the job runs, or that it does not. It
cannot require two sets of changed files, nor the absence of one; the order of the rules makes up for much of that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, permutations

from pipegen.plan.model import AllOf, AnyOf, Condition, Exists, FilesChanged, Not
from pipegen.plan.model.logic import MOST_RUNS, Truth, atoms, combined, holds, implies, runs, simplified
from pipegen.structs import Struct, replace

# The maximum number of orders of file conditions that are tried.
_MOST_ORDERS = 24

File = FilesChanged | Exists


class Decision(Struct):
    """One rule: if *conditions*, *changed* and *exists* hold, the job runs or not."""

    conditions: tuple[Condition, ...] = ()
    changed: FilesChanged | None = None
    exists: Exists | None = None
    runs: bool = True

    def holds(self, truth: Truth) -> bool:
        """Return whether the rule matches when its atoms have the values in *truth*."""
        is_true = truth.__getitem__
        return all(holds(condition, is_true) for condition in self.conditions) and all(
            _is_present(atom, truth) for atom in (self.changed, self.exists) if atom is not None
        )

    def combined(self, other: Decision) -> Decision | None:
        """Return the rule that matches if both do; None if a rule cannot express that."""
        pairs = (self.changed, other.changed), (self.exists, other.exists)
        if not all(implies(first, second) or implies(second, first) for first, second in pairs):
            return None
        return Decision(
            tuple(dict.fromkeys((*self.conditions, *other.conditions))),
            self.changed if implies(self.changed, other.changed) else other.changed,
            self.exists if implies(self.exists, other.exists) else other.exists,
            self.runs and other.runs,
        )

    @property
    def tests(self) -> tuple[Condition, ...]:
        """All that must hold for the rule to match."""
        files = (atom for atom in (self.changed, self.exists) if atom is not None)
        return (*self.conditions, *files)


def decisions(condition: Condition) -> tuple[Decision, ...] | None:
    """Return rules equivalent to *condition*; None if no equivalent rules are found."""
    normal = _normalized(condition, is_true=True)
    exact = _rules_of(normal, is_exact=True)
    if exact is not None:
        return exact
    candidates = (rules for rules in _candidates(normal) if rules is not None)
    return next((rules for rules in candidates if _are_equivalent(rules, condition)), None)


def decided(rules: Sequence[Decision], truth: Truth) -> bool:
    """Return the decision of the first of *rules* that matches; if none does, the job does not run."""
    return next((rule.runs for rule in rules if rule.holds(truth)), False)


def _is_present(files: File, truth: Truth) -> bool:
    """Return whether one of *files* is present; it may combine several sets."""
    if files in truth:
        return truth[files]
    parts = (atom for atom in truth if isinstance(atom, File) and implies(atom, files))
    return any(truth[atom] for atom in parts)


def _are_equivalent(rules: Sequence[Decision], condition: Condition) -> bool:
    """Return whether *rules* decide in every run as *condition* does."""
    cases = list(islice(runs(atoms(condition)), MOST_RUNS))
    return len(cases) < MOST_RUNS and all(
        decided(rules, truth) == holds(condition, truth.__getitem__) for truth in cases
    )


def _candidates(condition: Condition) -> Iterator[tuple[Decision, ...] | None]:
    """Yield rules that may be equivalent to *condition*: as written, then with the file conditions in each order."""
    yield _rules_of(condition, is_exact=False)
    files = [atom for atom in atoms(condition) if isinstance(atom, File)]
    for order in islice(permutations(files), _MOST_ORDERS):
        yield _by_files(condition, order)


def _rules_of(condition: Condition, *, is_exact: bool) -> tuple[Decision, ...] | None:
    """Return the rules of *condition*, in which only atoms are negated, part by part.

    With *is_exact*, they are certain to be equivalent; otherwise, they may be.
    """
    match condition:
        case FilesChanged():
            return (Decision(changed=condition),)
        case Exists():
            return (Decision(exists=condition),)
        case Not(condition=FilesChanged() | Exists() as inner):
            rule = Decision(changed=inner) if isinstance(inner, FilesChanged) else Decision(exists=inner)
            return (replace(rule, runs=False), Decision())
        case AnyOf() if _has_files(condition):
            return _any(condition.conditions, is_exact=is_exact)
        case AllOf() if _has_files(condition):
            return _all(condition.conditions, is_exact=is_exact)
    return (Decision((condition,)),)


def _any(parts: Sequence[Condition], *, is_exact: bool) -> tuple[Decision, ...] | None:
    """Return the rules of alternatives: negative ones last, because no other rule may follow them."""
    without_files = tuple(part for part in parts if not _has_files(part))
    lists = [_rules_of(part, is_exact=is_exact) for part in _with_merged_files(parts) if _has_files(part)]
    if without_files:
        lists.insert(0, (Decision((combined(AnyOf, without_files),)),))
    if None in lists:
        return None
    ordered = sorted((rules for rules in lists if rules is not None), key=_has_negative)
    if is_exact and sum(map(_has_negative, ordered)) > 1:
        return None
    return tuple(rule for rules in ordered for rule in rules)


def _all(parts: Sequence[Condition], *, is_exact: bool) -> tuple[Decision, ...] | None:
    """Return the rules of conditions that must all hold, negative ones first."""
    without_files = tuple(part for part in parts if not _has_files(part))
    lists = [_rules_of(part, is_exact=is_exact) for part in parts if _has_files(part)]
    if None in lists:
        return None
    combined: tuple[Decision, ...] | None = (Decision(without_files),)
    for rules in sorted((rules for rules in lists if rules is not None), key=_has_negative, reverse=True):
        combined = _conjunction(combined or (), rules)
        if combined is None:
            return None
    return combined


def _conjunction(first: Sequence[Decision], second: Sequence[Decision]) -> tuple[Decision, ...] | None:
    """Return rules that let the job run if both *first* and *second* do."""
    result: list[Decision] = []
    for rule in first:
        if not rule.runs:
            result.append(rule)
            continue
        combinations = [rule.combined(other) for other in second]
        if None in combinations:
            return None
        result += [each for each in combinations if each is not None]
    return tuple(result)


def _by_files(
    condition: Condition | bool,  # noqa: FBT001 - the rest of a condition may be constant
    order: Sequence[File],
) -> tuple[Decision, ...] | None:
    """Return rules that test the files of *order* in turn, then the rest of *condition*."""
    if isinstance(condition, bool):
        return (Decision(runs=condition),)
    if not order:
        return _rules_of(condition, is_exact=False)
    first = order[0]
    rule = Decision(changed=first) if isinstance(first, FilesChanged) else Decision(exists=first)
    present = simplified(condition, lambda atom, _: True if atom == first else None)
    absent = simplified(condition, lambda atom, _: False if atom == first else None)
    when_present = _by_files(present, order[1:])
    when_absent = _by_files(absent, order[1:])
    if when_present is None or when_absent is None:
        return None
    guarded = [each.combined(rule) for each in when_present]
    if None in guarded:
        return None
    closed = () if isinstance(present, bool) else (replace(rule, runs=False),)
    last = () if absent is False else when_absent
    return (*(each for each in guarded if each is not None), *closed, *last)


def _normalized(condition: Condition, *, is_true: bool) -> Condition:
    """Return *condition*, or its negation, with negations at atoms only."""
    match condition:
        case Not():
            return _normalized(condition.condition, is_true=not is_true)
        case AllOf() | AnyOf():
            kind = AllOf if isinstance(condition, AllOf) is is_true else AnyOf
            return combined(kind, (_normalized(part, is_true=is_true) for part in condition.conditions))
    return condition if is_true else Not(condition)


def _with_merged_files(parts: Sequence[Condition]) -> list[Condition]:
    """Return alternatives with file conditions merged: `changes` with the same base, and `exists`."""
    merged: dict[object, Condition] = {}
    for part in parts:
        match part:
            case FilesChanged():
                key: object = ("changes", part.base)
            case Exists():
                key = "exists"
            case _:
                key = part
        earlier = merged.get(key)
        if isinstance(earlier, FilesChanged | Exists) and isinstance(part, FilesChanged | Exists):
            patterns = tuple(dict.fromkeys((*earlier.patterns, *part.patterns)))
            merged[key] = replace(earlier, patterns=patterns)
        else:
            merged[key] = part
    return list(merged.values())


def _has_files(condition: Condition) -> bool:
    return any(isinstance(atom, File) for atom in atoms(condition))


def _has_negative(rules: Sequence[Decision]) -> bool:
    return not all(rule.runs for rule in rules)
