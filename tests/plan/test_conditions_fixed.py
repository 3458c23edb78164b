"""Conditions once inputs are set at compile time."""

from __future__ import annotations

import pytest
from config.sample_configs import written

from pipegen.compiler import analyse
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Condition, Matches, Not, Subject
from pipegen.plan.model.logic import can_hold

INPUTS = "{level: {choices: [quick, full]}, deploy: false, note: '', again: full}"
FIXED = {"level": "full", "deploy": "true", "note": "", "again": "full"}


def of(when: str, **fixed: str) -> Condition | None:
    """Return the condition of *when*, with the inputs in *fixed*."""
    config = f"inputs: {INPUTS}\npipelines: {{p: {{stages: [{{name: s, script: [make], when: {when}}}]}}}}"
    report = Report()
    (plan,) = analyse(written(config), (), report, fixed).plans

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
        "{equal: [inputs.level, inputs.again]}",
    ],
)
def test_a_true_condition_is_removed(when: str) -> None:
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
        "{equal: [inputs.level, inputs.deploy]}",
        "{equal: [branch, inputs.note]}",
        "{not: {any: [{branch: main}, {inputs: {level: full}}]}}",
    ],
)
def test_a_false_condition_never_holds(when: str) -> None:
    """It is not an error: the user chose the inputs."""
    condition = of(when, **FIXED)

    assert condition is not None
    assert not can_hold(condition)


def test_undecided_conditions_are_kept() -> None:
    """A run evaluates conditions that inputs do not decide."""
    condition = of("{branch: main, inputs: {level: full}}", **FIXED)
    other = of("{any: [{not: {branch: main}}, {inputs: {level: quick}}]}", **FIXED)

    assert isinstance(condition, Matches)
    assert condition.subject is Subject.BRANCH
    assert other == Not(condition)


def test_a_default_value_decides_no_condition() -> None:
    """Nor does the fixed value of another input."""
    assert of("{inputs: {deploy: true}}", level="full") == of("{inputs: {deploy: true}}")


@pytest.mark.parametrize(("text", "when"), [("main", "{branch: main}"), ("a*", r"{branch: '/^a\*$/'}")])
def test_a_text_that_equals_a_fixed_input_matches_its_value(text: str, when: str) -> None:
    """Wildcards in the value are plain text."""
    assert of("{equal: [branch, inputs.again]}", again=text) == of(when)
