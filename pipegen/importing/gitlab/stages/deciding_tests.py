"""The tests that decide which rules of a job hold, such as `$OPTIONAL` if `$A && $OPTIONAL` stands before `$A`."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pipegen.importing.gitlab.reading.rules import Rule
from pipegen.importing.gitlab.stages.conditions import Names, condition
from pipegen.importing.logic import ALWAYS, Condition, Conjunction, flat


def deciding_tests(chosen: Sequence[Rule], rules: Sequence[Rule], names: Names) -> Condition:
    """Return the fewest tests that say whether the first of *rules* that holds is a *chosen* one, if one holds.

    All chosen rules have these tests, and each other rule comes after one that has no further tests than both.
    ALWAYS if there are none.
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
    """Return whether in runs with *tests* only those of *rules* decide that are chosen."""
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
