"""Conditions as expressions of GitLab, which compares variables that are not set as null."""

from __future__ import annotations

from itertools import product

import pytest
from targets.gitlab.rules_reader import evaluated

from pipegen.plan.model import AreEqual, Condition, Fact, Not, Subject
from pipegen.source.text import SourceFile, Span
from pipegen.targets.gitlab.rules.expressions import expression, text

_SPAN = Span(SourceFile("pipegen.yaml", ""), 0, 0)
_VALUES = (None, "", "a", "b*")


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


def _holds(condition: Condition, defaults: dict[str, str], variables: dict[str, str]) -> bool:
    return evaluated(text(expression(condition, defaults)), variables)
