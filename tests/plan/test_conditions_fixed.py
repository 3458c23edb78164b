"""What is left of a condition once inputs are fixed."""

from __future__ import annotations

import pytest
from config.written import written

from pipegen.compiler import analyse
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Condition, Matches, Not, Subject
from pipegen.plan.model.logic import can_hold

INPUTS = "{level: {choices: [quick, full]}, deploy: false, note: ''}"
FIXED = {"level": "full", "deploy": "true", "note": ""}


def of(when: str, **given: str) -> Condition | None:
    """Return the condition that *when* is, with inputs *given*."""
    config = f"inputs: {INPUTS}\npipelines: {{p: {{stages: [{{name: s, script: [make], when: {when}}}]}}}}"
    report = Report()
    (plan,) = analyse(written(config), (), report, given).plans

    assert report.diagnostics() == ()
    return plan.jobs[0].condition


@pytest.mark.parametrize(
    "when",
    [
        "{inputs: {level: full}}",
        "{inputs: {level: [quick, 'f*']}}",
        "{inputs: {level: /^fu/}}",
        "{inputs: {deploy: true}}",
        "{inputs: {note: false}}",
        "{not: {inputs: {level: quick}}}",
        "{inputs: {level: true, deploy: true}}",
        "{any: [{branch: main}, {inputs: {level: full}}]}",
    ],
)
def test_what_always_holds_is_no_condition(when: str) -> None:
    """The stage then runs in every run."""
    assert of(when, **FIXED) is None


@pytest.mark.parametrize(
    "when",
    [
        "{inputs: {level: quick}}",
        "{inputs: {deploy: false}}",
        "{inputs: {note: true}}",
        "{inputs: {note: '**'}}",
        "{branch: main, inputs: {level: quick}}",
        "{not: {any: [{branch: main}, {inputs: {level: full}}]}}",
    ],
)
def test_what_never_holds_is_a_contradiction(when: str) -> None:
    """Which is no mistake: it is what was asked for."""
    found = of(when, **FIXED)

    assert found is not None
    assert not can_hold(found)


def test_the_rest_is_left() -> None:
    """What inputs do not decide, a run does."""
    found = of("{branch: main, inputs: {level: full}}", **FIXED)
    other = of("{any: [{not: {branch: main}}, {inputs: {level: quick}}]}", **FIXED)

    assert isinstance(found, Matches)
    assert found.subject is Subject.BRANCH
    assert other == Not(found)


def test_a_default_settles_nothing() -> None:
    """Nor does another input."""
    assert of("{inputs: {deploy: true}}", level="full") == of("{inputs: {deploy: true}}")
