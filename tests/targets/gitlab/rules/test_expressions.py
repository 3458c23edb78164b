"""Conditions as expressions of GitLab, which compares variables that are not set as null."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import product

import pytest
from targets.gitlab.rules_reader import evaluated

from pipegen.plan.model import (
    AllOf,
    AnyOf,
    AreEqual,
    Condition,
    Event,
    Fact,
    IsEvent,
    IsSet,
    Matches,
    Not,
    Pattern,
    Subject,
)
from pipegen.plan.model.logic import shortened
from pipegen.source.text import SourceFile, Span
from pipegen.targets.gitlab.rules.expressions import expression, text

_SPAN = Span(SourceFile("pipegen.yaml", ""), 0, 0)
_VALUES = (None, "", "a", "b*")
_A, _B = Fact(Subject.VARIABLE, "A"), Fact(Subject.INPUT, "B")
# One of these matches the empty text, which matches no pattern in a condition.
_PATTERNS = (Pattern("a"), Pattern("ab"), Pattern("a*"), Pattern("c"), Pattern("b$|^$", is_regex=True))


@pytest.mark.parametrize("first", [Fact(Subject.BRANCH), Fact(Subject.INPUT, "A")])
@pytest.mark.parametrize("default", ["", "a", "b*"])
@pytest.mark.parametrize("other", ["", "a"])
def test_equal_texts_are_set(first: Fact, default: str, other: str) -> None:
    """Null equals null in GitLab: `Lexeme::Equals` in `lib/gitlab/ci/pipeline/expression` of GitLab.

    In a job without the variables of the file, null stands for the default.
    """
    equal = AreEqual((first, Fact(Subject.VARIABLE, "B")), _SPAN)
    name = first.name or "CI_COMMIT_BRANCH"
    defaults = {"B": other, **({first.name: default} if first.name else {})}
    for left, right in product(_VALUES, repeat=2):
        if name == "CI_COMMIT_BRANCH" and left == "":
            continue  # GitLab does not set it without a branch
        variables = {key: value for key, value in ((name, left), ("B", right)) if value is not None}
        texts = [defaults.get(key, "") if value is None else value for key, value in ((name, left), ("B", right))]
        is_equal = texts[0] != "" and texts[0] == texts[1]
        for condition, expected in ((equal, is_equal), (Not(equal), not is_equal)):
            assert _holds(condition, defaults, variables) is expected, (condition, variables)


def test_parts_that_others_imply_are_left_out() -> None:
    """Equal to one text is different from another, and set; what holds anyway needs no alternative."""
    a, c, is_set = _matches(_A, "a"), _matches(_A, "c"), _is_set(_A)

    assert _shortened(AllOf((Not(c), a, is_set))) == '$A == "a"'
    assert _shortened(AnyOf((a, AllOf((is_set, _matches(_B, "a"))), is_set))) == "$A =~ /.+/"
    assert _shortened(Not(AllOf((a, is_set, Not(c))))) == '$A != "a"'
    assert _shortened(AllOf((Not(c), _matches(_A, "a*")))) == '$A != "c" && $A =~ /^a[^\\/]*$/'


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ((Event.PUSH,), '== "push"'),
        ((Event.PUSH, Event.MANUAL), "=~ /^(push|web|chat)$/"),
        ((Event.PUSH, Event.TAG), '== "push"'),
        ((Event.MERGE_REQUEST,), '== "merge_request_event"'),
    ],
)
def test_a_push_to_a_branch_needs_no_test_for_a_branch(events: tuple[Event, ...], expected: str) -> None:
    """GitLab calls a new tag a push, too."""
    main = _matches(Fact(Subject.BRANCH), "main")
    both, alone = AllOf((main, IsEvent(events, _SPAN))), IsEvent(events, _SPAN)
    source = f"$CI_PIPELINE_SOURCE {expected}"

    assert text(expression(both)) == f'$CI_COMMIT_BRANCH == "main" && {source}'
    for condition in (both, Not(both)):
        for name, branch in product(("push", "web", "merge_request_event"), ("main", "other", None)):
            variables = {"CI_PIPELINE_SOURCE": name, "CI_COMMIT_TAG": "v1"}
            variables |= {"CI_COMMIT_BRANCH": branch} if branch else {}
            expected_both = branch == "main" and _holds(alone, {}, variables)

            assert _holds(condition, {}, variables) is (expected_both is (condition is both))


def test_equal_conditions_are_shortened_once() -> None:
    """Thousands of stages can have the same long condition."""
    first, second = (AnyOf((_matches(_A, "a"), AllOf((_is_set(_A), _matches(_B, "a"))))) for _ in range(2))

    assert shortened(first) is shortened(second)


@pytest.mark.parametrize("seed", range(500))
def test_shortened_conditions_hold_for_the_same_values(seed: int) -> None:
    """Also for variables that are not set or empty, in jobs without the variables of the file, too."""
    condition = _random(random.Random(seed), 2)  # noqa: S311 - no secret
    shorter = shortened(condition)
    for default in ("", "a"):
        for left, right in product((None, "", "a", "ab", "c", "d"), repeat=2):
            variables = {name: value for name, value in (("A", left), ("B", right)) if value is not None}

            assert _holds(shorter, {"B": default}, variables) is _holds(condition, {"B": default}, variables)


def _random(chance: random.Random, depth: int) -> Condition:
    if depth and chance.random() < 0.7:
        parts: Sequence[Condition] = [_random(chance, depth - 1) for _ in range(chance.choice((2, 2, 3)))]
        return chance.choice((AllOf(tuple(parts)), AnyOf(tuple(parts)), Not(parts[0])))
    fact = chance.choice((_A, _B))
    patterns = tuple(chance.sample(_PATTERNS, chance.choice((1, 1, 2))))
    matches = Matches(subject=fact.subject, name=fact.name, patterns=patterns, span=_SPAN)
    return chance.choice((matches, Not(matches), matches, _is_set(fact), AreEqual((_B, _A), _SPAN)))


def _matches(fact: Fact, pattern: str) -> Matches:
    return Matches(subject=fact.subject, name=fact.name, patterns=(Pattern(pattern),), span=_SPAN)


def _is_set(fact: Fact) -> IsSet:
    return IsSet(subject=fact.subject, name=fact.name, span=_SPAN)


def _shortened(condition: Condition) -> str:
    return text(expression(shortened(condition)))


def _holds(condition: Condition, defaults: dict[str, str], variables: dict[str, str]) -> bool:
    return evaluated(text(expression(condition, defaults)), variables)
