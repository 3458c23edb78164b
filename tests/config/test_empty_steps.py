"""Steps without content: PipelineLib passes them over."""

from __future__ import annotations

import pytest
from config.sample_configs import written

from pipegen.compiler import analyse
from pipegen.diagnostics.report import Report


def analysed(stage: str) -> tuple[list[str], list[str]]:
    """Return the steps of a stage with a name and the keys *stage*, and what each diagnostic underlines."""
    report = Report()
    (plan,) = analyse(written(f"pipelines: {{p: {{stages: [{{name: s, {stage}}}]}}}}"), (), report).plans
    found = report.diagnostics()

    assert {one.code.number for one in found} <= {"PG210"}
    steps = [type(step).__name__ for step in plan.jobs[0].steps]
    return steps, [one.primary.span.text for one in found if one.primary]


@pytest.mark.parametrize(
    ("stage", "underlined"),
    [
        ("build: {}", "{}"),
        ("build: ''", "''"),
        ("run: {}", "{}"),
        ("publish: {}", "{}"),
        ("publish: {image: {}}", "{}"),
        ("deploy: {}", "{}"),
        ("trigger: {name: ''}", "''"),
    ],
)
def test_an_empty_step_does_nothing_and_is_told_of(stage: str, underlined: str) -> None:
    """PipelineLib takes the empty value for none, in silence."""
    assert analysed(stage) == ([], [underlined])


@pytest.mark.parametrize("stage", ["copy: []", "promote: []", "exports: {}", "build: false, run: false", "notify: {}"])
def test_what_says_that_it_does_nothing_is_not_told_of(stage: str) -> None:
    """An empty list is one."""
    assert analysed(stage) == ([], [])


@pytest.mark.parametrize(
    "stage", ["run: true", "run: {tail: 0}", "publish: {image: true}", "publish: {image: {tags: []}}"]
)
def test_a_step_with_a_key_is_none_that_is_empty(stage: str) -> None:
    """Whatever the value of the key."""
    steps, told = analysed(f"build: x, {stage}")

    assert (len(steps), told) == (2, [])
