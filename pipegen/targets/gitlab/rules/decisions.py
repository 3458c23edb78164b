"""Conditions that ask for files, as lists of rules of which the first that holds decides.

A rule holds where its `if`, its `changes` and its `exists` all do, and says that the job runs, or that it does not. It
cannot ask for two sets of changed files, nor for none; the order of the rules makes up for much of that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, permutations

from pipegen.plan.model import AllOf, AnyOf, Condition, Exists, FilesChanged, Not
from pipegen.plan.model.logic import MOST_RUNS, Truth, atoms, holds, implies, runs
from pipegen.structs import Struct, replace

# Orders of the sets of files that are tried.
_MOST_ORDERS = 24

File = FilesChanged | Exists


class Decision(Struct):
    """One rule: where *conditions* hold, and *changed* and *exists* do, the job runs or not."""

    conditions: tuple[Condition, ...] = ()
    changed: FilesChanged | None = None
    exists: Exists | None = None
    runs: bool = True

    def holds(self, truth: Truth) -> bool:
        """Return whether the rule decides where its atoms hold as *truth* says."""
        files = [one for one in (self.changed, self.exists) if one is not None]
        return all(holds(one, truth) for one in self.conditions) and all(_is_there(one, truth) for one in files)

    def beside(self, other: Decision) -> Decision | None:
        """Return the rule that holds where both do; None where a rule cannot say that."""
        if self.changed not in (None, other.changed) and other.changed is not None:
            return None
        if self.exists not in (None, other.exists) and other.exists is not None:
            return None
        return Decision(
            tuple(dict.fromkeys((*self.conditions, *other.conditions))),
            self.changed or other.changed,
            self.exists or other.exists,
            self.runs and other.runs,
        )


def decisions(condition: Condition) -> tuple[Decision, ...] | None:
    """Return rules that say what *condition* says, where nothing holds else; None where no rules found say that."""
    plain = _pushed(condition, is_true=True)
    exact = _written(plain, is_exact=True)
    if exact is not None:
        return exact
    tries = (found for found in _tries(plain) if found is not None)
    return next((found for found in tries if _says(found, condition)), None)


def decided(rules: Sequence[Decision], truth: Truth) -> bool:
    """Return what the first of *rules* that holds says; without one, the job does not run."""
    return next((rule.runs for rule in rules if rule.holds(truth)), False)


def _is_there(files: File, truth: Truth) -> bool:
    """Return whether one of *files* is there, be it put together from several sets."""
    if files in truth:
        return truth[files]
    parts = (atom for atom in truth if isinstance(atom, File) and implies(atom, files))
    return any(truth[atom] for atom in parts)


def _says(rules: Sequence[Decision], condition: Condition) -> bool:
    """Return whether *rules* decide in every run as *condition* does."""
    found = list(islice(runs(atoms(condition)), MOST_RUNS))
    return len(found) < MOST_RUNS and all(decided(rules, truth) == holds(condition, truth) for truth in found)


def _tries(condition: Condition) -> Iterator[tuple[Decision, ...] | None]:
    """Yield rules that may say what *condition* does: as it is written, then with one set of files after the other."""
    yield _written(condition, is_exact=False)
    files = [atom for atom in atoms(condition) if isinstance(atom, File)]
    for order in islice(permutations(files), _MOST_ORDERS):
        yield _by_files(condition, order)


def _written(condition: Condition, *, is_exact: bool) -> tuple[Decision, ...] | None:
    """Return the rules of *condition*, in which only atoms are negated, part by part.

    Where it *is_exact*, they are known to say the same; else they may.
    """
    match condition:
        case FilesChanged():
            return (Decision(changed=condition),)
        case Exists():
            return (Decision(exists=condition),)
        case Not(condition=FilesChanged() | Exists() as inner):
            rule = Decision(changed=inner) if isinstance(inner, FilesChanged) else Decision(exists=inner)
            return (replace(rule, runs=False), Decision())
        case AnyOf() if _asks_for_files(condition):
            return _any(condition.conditions, is_exact=is_exact)
        case AllOf() if _asks_for_files(condition):
            return _all(condition.conditions, is_exact=is_exact)
    return (Decision((condition,)),)


def _any(parts: Sequence[Condition], *, is_exact: bool) -> tuple[Decision, ...] | None:
    """Return the rules of alternatives: those that say no come last, for no other may be asked after them."""
    plain = tuple(part for part in parts if not _asks_for_files(part))
    found = [_written(part, is_exact=is_exact) for part in _merged(parts) if _asks_for_files(part)]
    if plain:
        found.insert(0, (Decision((_one(AnyOf, plain),)),))
    if None in found:
        return None
    told = sorted((rules for rules in found if rules is not None), key=_says_no)
    if is_exact and sum(map(_says_no, told)) > 1:
        return None
    return tuple(rule for rules in told for rule in rules)


def _all(parts: Sequence[Condition], *, is_exact: bool) -> tuple[Decision, ...] | None:
    """Return the rules of what must hold together, those that say no first."""
    plain = tuple(part for part in parts if not _asks_for_files(part))
    lists = [_written(part, is_exact=is_exact) for part in parts if _asks_for_files(part)]
    if None in lists:
        return None
    found: tuple[Decision, ...] | None = (Decision(plain),)
    for rules in sorted((rules for rules in lists if rules is not None), key=_says_no, reverse=True):
        found = _both(found or (), rules)
        if found is None:
            return None
    return found


def _both(first: Sequence[Decision], second: Sequence[Decision]) -> tuple[Decision, ...] | None:
    """Return rules that say yes where both *first* and *second* do."""
    found: list[Decision] = []
    for one in first:
        if not one.runs:
            found.append(one)
            continue
        together = [one.beside(other) for other in second]
        if None in together:
            return None
        found += [rule for rule in together if rule is not None]
    return tuple(found)


def _by_files(
    condition: Condition | bool,  # noqa: FBT001 - what is left of a condition may be known
    order: Sequence[File],
) -> tuple[Decision, ...] | None:
    """Return rules that ask for each of the files of *order* in turn, then for what is left of *condition*."""
    if isinstance(condition, bool):
        return (Decision(runs=condition),)
    if not order:
        return _written(condition, is_exact=False)
    first = order[0]
    rule = Decision(changed=first) if isinstance(first, FilesChanged) else Decision(exists=first)
    present, absent = _settled(condition, first, is_true=True), _settled(condition, first, is_true=False)
    there = _by_files(present, order[1:])
    rest = _by_files(absent, order[1:])
    if there is None or rest is None:
        return None
    inner = [one.beside(rule) for one in there]
    if None in inner:
        return None
    closed = () if isinstance(present, bool) else (replace(rule, runs=False),)
    last = () if absent is False else rest
    return (*(one for one in inner if one is not None), *closed, *last)


def _settled(condition: Condition, atom: File, *, is_true: bool) -> Condition | bool:
    """Return *condition* where it is known whether *atom* holds."""
    match condition:
        case AllOf() | AnyOf():
            parts = [_settled(part, atom, is_true=is_true) for part in condition.conditions]
            deciding = isinstance(condition, AnyOf)
            if any(part is deciding for part in parts):
                return deciding
            left = tuple(part for part in parts if not isinstance(part, bool))
            return _one(type(condition), left) if left else not deciding
        case Not():
            inner = _settled(condition.condition, atom, is_true=is_true)
            return not inner if isinstance(inner, bool) else Not(inner)
    return is_true if condition == atom else condition


def _pushed(condition: Condition, *, is_true: bool) -> Condition:
    """Return what holds where *condition* does, or does not, with negations at atoms only."""
    match condition:
        case Not():
            return _pushed(condition.condition, is_true=not is_true)
        case AllOf() | AnyOf():
            kind = AllOf if isinstance(condition, AllOf) is is_true else AnyOf
            return _one(kind, tuple(_pushed(part, is_true=is_true) for part in condition.conditions))
    return condition if is_true else Not(condition)


def _one(kind: type[AllOf | AnyOf], parts: tuple[Condition, ...]) -> Condition:
    """Return *parts* as one condition, those of the same kind inside taken apart."""
    found: dict[Condition, None] = {}
    for part in parts:
        found |= dict.fromkeys(part.conditions if isinstance(part, kind) else (part,))
    return kind(tuple(found)) if len(found) > 1 else next(iter(found))


def _merged(parts: Sequence[Condition]) -> list[Condition]:
    """Return alternatives with those that are one set of files made one: `changes` with the same base, and `exists`."""
    found: dict[object, Condition] = {}
    for part in parts:
        match part:
            case FilesChanged():
                key: object = ("changes", part.base)
            case Exists():
                key = "exists"
            case _:
                key = part
        before = found.get(key)
        if isinstance(before, FilesChanged | Exists) and isinstance(part, FilesChanged | Exists):
            patterns = tuple(dict.fromkeys((*before.patterns, *part.patterns)))
            found[key] = replace(before, patterns=patterns)
        else:
            found[key] = part
    return list(found.values())


def _asks_for_files(condition: Condition) -> bool:
    return any(isinstance(atom, File) for atom in atoms(condition))


def _says_no(rules: Sequence[Decision]) -> bool:
    return not all(rule.runs for rule in rules)
