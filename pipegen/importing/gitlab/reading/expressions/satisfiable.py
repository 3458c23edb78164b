"""Whether a run can exist in which a formula holds."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from pipegen.importing.gitlab.reading.expressions.formulas import (
    Comparison,
    Facts,
    Formula,
    HasValue,
    IsDefined,
    LiteralText,
    VariableName,
    holds,
    holds_with,
    tests_in,
)

# The time doubles with each.
_MOST_TESTS = 10
_BRANCH, _TAG, _REF, _SOURCE = "CI_COMMIT_BRANCH", "CI_COMMIT_TAG", "CI_COMMIT_REF_NAME", "CI_PIPELINE_SOURCE"


def can_hold(formula: Formula) -> bool:
    """Return whether *formula* can hold in a run; a formula with many tests always can."""
    tests = tuple(dict.fromkeys(tests_in(formula)))
    if len(tests) > _MOST_TESTS:
        return True
    results = (dict(zip(tests, values, strict=True)) for values in product((True, False), repeat=len(tests)))
    return any(holds_with(formula, each.__getitem__) and _is_possible(each) for each in results)


def _is_possible(results: Mapping[Formula, bool]) -> bool:
    """Return whether a run can have the *results* of tests: each variable has one value.

    A run has at most one of a branch and a tag, whose name is that of its ref; one for a merge request has neither.
    """
    values: dict[str, str | None] = {}
    present: set[str] = set()
    for test, result in results.items():
        match test:
            case Comparison(VariableName(name), sign, right) if result:
                text = right.text if isinstance(right, LiteralText) and sign == "==" else None
                if sign == "==" and isinstance(right, LiteralText) and values.setdefault(name, text) != text:
                    return False
                present |= {name} if text or sign != "==" else set()
            case HasValue(name) if result:
                present.add(name)
    if len(present & {_BRANCH, _TAG}) + (values.get(_SOURCE) == "merge_request_event") > 1:
        return False
    if ref := values.get(_REF):
        values |= dict.fromkeys(present & {_BRANCH, _TAG}, ref)
    facts = Facts(variables={name: text for name, text in values.items() if text is not None})
    return all(holds(test, facts) == result for test, result in results.items() if _reads_only(test, values))


def _reads_only(test: Formula, values: Mapping[str, str | None]) -> bool:
    """Return whether *test* reads a single variable, one with a known value in *values*."""
    match test:
        case HasValue(name) | IsDefined(name):
            return name in values
        case Comparison(VariableName(name), _, right):
            return name in values and not isinstance(right, VariableName)
    return False
