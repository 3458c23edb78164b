"""The tests that decide which rules of a job hold, such as `$OPTIONAL` if `$A && $OPTIONAL` stands before `$A`."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pipegen.importing.gitlab.reading.rules import Rule
from pipegen.importing.gitlab.stages.conditions import Names, condition
from pipegen.importing.logic import ALWAYS, Condition, Conjunction, flat


def deciding_tests(chosen: Sequence[Rule], rules: Sequence[Rule], names: Names) -> Condition:
    """Return few tests that all hold if, and only if, a *chosen* one is the first of *rules* that holds.

    This is in runs in which one of *rules* holds. All chosen rules have these tests. ALWAYS if there are no such tests.
    """
    own = [(rule in chosen, _parts(condition(rule.formula, names))) for rule in rules]
    first, *others = [tests for is_chosen, tests in own if is_chosen]
    common = [test for test in first if all(test in each for each in others)]
    if not _decide(common, own):
        return ALWAYS
    for test in tuple(common):
        fewer = [each for each in common if each != test]
        if _decide(fewer, own):
            common = fewer
    return flat(Conjunction(tuple(common)))


def _decide(tests: Collection[Condition], rules: Sequence[tuple[bool, Collection[Condition]]]) -> bool:
    """Return whether only chosen ones of *rules* decide in runs in which *tests* hold.

    Then each other rule comes after a chosen one that has only tests of this rule, and *tests*.
    """
    earlier: list[set[Condition]] = []
    for is_chosen, own in rules:
        if is_chosen:
            earlier.append({*own})
        elif not any(each <= {*own, *tests} for each in earlier):
            return False
    return True


def _parts(whole: Condition) -> tuple[Condition, ...]:
    whole = flat(whole)
    return whole.parts if isinstance(whole, Conjunction) else (whole,)
