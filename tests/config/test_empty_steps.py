"""Steps without content, which PipelineLib ignores."""

from __future__ import annotations

import pytest
from config.sample_configs import written

from pipegen.compiler import analyse
from pipegen.diagnostics.report import Report


def analysed(stage: str) -> tuple[list[str], list[str]]:
    """Return the steps of a stage with the keys *stage*, and the underlined text of each diagnostic."""
    report = Report()
    (plan,) = analyse(written(f"pipelines: {{p: {{stages: [{{name: s, {stage}}}]}}}}"), (), report).plans
    diagnostics = report.diagnostics()

    assert {diagnostic.code.number for diagnostic in diagnostics} <= {"PG210"}
    steps = [type(step).__name__ for step in plan.jobs[0].steps]
    return steps, [diagnostic.primary.span.text for diagnostic in diagnostics if diagnostic.primary]


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
def test_an_empty_step_is_ignored_with_a_warning(stage: str, underlined: str) -> None:
    """PipelineLib ignores the empty value silently."""
    assert analysed(stage) == ([], [underlined])


@pytest.mark.parametrize("stage", ["copy: []", "promote: []", "exports: {}", "build: false, run: false", "notify: {}"])
def test_an_explicitly_empty_step_is_not_reported(stage: str) -> None:
    """An empty list is valid on purpose."""
    assert analysed(stage) == ([], [])


@pytest.mark.parametrize(
    "stage", ["run: true", "run: {tail: 0}", "publish: {image: true}", "publish: {image: {tags: []}}"]
)
def test_a_step_with_a_key_is_not_empty(stage: str) -> None:
    """The value of the key does not matter."""
    steps, texts = analysed(f"build: x, {stage}")

    assert (len(steps), texts) == (2, [])
