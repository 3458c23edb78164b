"""The rules of a job as conditions of a config."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import islice, product

from pipegen.importing.gitlab.reading.expressions.formulas import tested_names, tests_in
from pipegen.importing.gitlab.reading.rules import NEVER as NEVER_STARTS
from pipegen.importing.gitlab.reading.rules import Rule
from pipegen.importing.gitlab.stages.conditions import Names, condition
from pipegen.importing.logic import ALWAYS, NEVER, Condition, Conjunction, Disjunction, Opposite, flat
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.structs import replace

_MOST_RULES = 50
# More combinations have one condition, in which each test of an axis holds if it holds for any value.
_MOST_COMBINATIONS = 200


def condition_of(rules: Sequence[Rule], names: Names) -> Condition:
    """Return the condition under which the first of *rules* that holds lets the job run.

    Raise `UntranslatableError` if a config cannot express it, or not as briefly.
    """
    if len(rules) > _MOST_RULES:
        raise UntranslatableError(f"more than {_MOST_RULES} rules")
    result: Condition = NEVER
    for rule in reversed(rules):
        own = condition(rule.formula, names)
        result = Conjunction((Opposite(own), result)) if rule.when == NEVER_STARTS else Disjunction((own, result))
    return result


def condition_of_any_combination(rules: Sequence[Rule], names: Names) -> Condition:
    """Return the condition under which *rules*, which may test axes, let any combination run; see `condition_of`."""
    tested = {name for rule in rules for test in tests_in(rule.formula) for name in tested_names(test)}
    axes = {name: values for name, values in names.axes.items() if name in tested}
    combinations = list(islice(product(*axes.values()), _MOST_COMBINATIONS + 1))
    if len(combinations) > _MOST_COMBINATIONS:
        return condition_of(rules, names)
    own = [{name: (value,) for name, value in zip(axes, values, strict=True)} for values in combinations]
    each = (condition_of(rules, replace(names, axes={**names.axes, **values})) for values in own)
    return flat(Disjunction(tuple(each)))


def deciding_tests(chosen: Sequence[Rule], rules: Sequence[Rule], names: Names) -> Condition:
    """Return few tests that all hold if, and only if, a *chosen* one is the first of *rules* that holds.

    This is in runs in which one of *rules* holds. All chosen rules have these tests, such as `$OPTIONAL` if
    `$A && $OPTIONAL` stands before `$A`. ALWAYS if there are no such tests.
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
