"""Fewer and shorter rules with the same effect."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import TypeVar

from pipegen.plan.model import AnyOf, Condition
from pipegen.plan.model.logic import atoms, holds, runs
from pipegen.structs import Struct, replace
from pipegen.targets.gitlab.rules.decisions import Decision

E = TypeVar("E", bound=Hashable)

# Rules that are compared in more runs, or that are more, stay as they are: each attempt looks at all of both.
_MOST_RUNS = 1_000
_MOST_RULES = 24


def shortest(rules: Sequence[tuple[Decision, E]]) -> Sequence[tuple[Decision, E]]:
    """Return *rules* without those, and without the tests and alternatives in them, that make no difference in any run.

    The first rule that matches decides: its decision, and its effect if the job runs.
    """
    if not 1 < len(rules) <= _MOST_RULES:
        return rules
    tests = tuple(dict.fromkeys(test for decision, _ in rules for test in decision.tests))
    cases = list(islice(runs(atoms(*tests)), _MOST_RUNS + 1))
    if len(cases) > _MOST_RUNS:
        return rules

    every = (1 << len(cases)) - 1

    @cache
    def matching(test: Condition) -> int:
        return sum(1 << number for number, truth in enumerate(cases) if holds(test, truth.__getitem__))

    expected = _outcome(rules, matching, every)
    while shorter := next((each for each in _shorter(rules) if _outcome(each, matching, every).equals(expected)), None):
        rules = shorter
    return rules


class _Outcome(Struct):
    """What rules do, each with the runs as bits: the *results*, and the files that GitLab looks for or compares."""

    results: Mapping[tuple[bool, Hashable], int]
    files: Mapping[Condition, int]

    def equals(self, other: _Outcome) -> bool:
        """Return whether the results are those of *other*, and no run looks at more files: these may be missing."""
        return self.results == other.results and not any(
            own & ~other.files.get(atom, 0) for atom, own in self.files.items()
        )


def _outcome(rules: Sequence[tuple[Decision, E]], matching: Callable[[Condition], int], every: int) -> _Outcome:
    """Return the outcome of *rules*; *matching* returns the runs in which a test holds, *every* are all."""
    results: dict[tuple[bool, Hashable], int] = {}
    files: dict[Condition, int] = {}
    undecided = every
    for decision, effect in rules:
        own = undecided
        for condition in decision.conditions:
            own &= matching(condition)
        for atom in (decision.changed, decision.exists):
            if atom is not None:
                files[atom] = files.get(atom, 0) | own
        for atom in (decision.changed, decision.exists):
            own &= matching(atom) if atom is not None else every
        key = (True, effect) if decision.runs else (False, None)
        results[key] = results.get(key, 0) | own
        undecided &= ~own
    results[False, None] = results.get((False, None), 0) | undecided
    return _Outcome({key: own for key, own in results.items() if own}, files)


def _shorter(rules: Sequence[tuple[Decision, E]]) -> Iterator[Sequence[tuple[Decision, E]]]:
    """Yield *rules* without one of them, or without a test in one, or an alternative in a test."""
    for number, (decision, effect) in enumerate(rules):
        before, after = rules[:number], rules[number + 1 :]
        yield (*before, *after)
        for condition in decision.conditions:
            others = tuple(each for each in decision.conditions if each != condition)
            yield (*before, (replace(decision, conditions=others), effect), *after)
            for fewer in _with_fewer_alternatives(condition):
                tests = tuple(fewer if each == condition else each for each in decision.conditions)
                yield (*before, (replace(decision, conditions=tests), effect), *after)
        if decision.changed is not None:
            yield (*before, (replace(decision, changed=None), effect), *after)
        if decision.exists is not None:
            yield (*before, (replace(decision, exists=None), effect), *after)


def _with_fewer_alternatives(condition: Condition) -> Iterator[Condition]:
    """Yield *condition* without one of its alternatives."""
    alternatives = condition.conditions if isinstance(condition, AnyOf) else ()
    for alternative in alternatives:
        others = tuple(each for each in alternatives if each != alternative)
        if others:
            yield AnyOf(others) if len(others) > 1 else others[0]
