"""Conditions that contradict others."""

from __future__ import annotations

import pytest
from lint.findings import findings, stages

from pipegen.lint.rules.condition_never_true import check


@pytest.mark.parametrize(
    ("pipeline", "stage"),
    [
        ("{branch: main}", "{tag: 'v*'}"),
        ("{branch: main}", "{event: merge_request}"),
        ("{branch: main}", "{branch: develop}"),
        ("{branch: main}", "{not: {branch: main}}"),
        ("{event: schedule}", "{event: push}"),
        ("{inputs: {full: true}}", "{inputs: {full: false}}"),
    ],
)
def test_a_condition_that_contradicts_the_pipeline(pipeline: str, stage: str) -> None:
    """Each of the two is true in some run, but no run has both."""
    head = "inputs: {full: false}\n"
    text = stages(
        "{name: a, script: [ls]}", f"{{name: b, when: {stage}, script: [ls]}}", head=head, pipeline=f"when: {pipeline}"
    )

    assert [text for _, text in findings(check, text)] == ["when"]


@pytest.mark.parametrize(
    ("pipeline", "stage"),
    [
        ("{branch: main}", "{event: schedule}"),
        ("{branch: release/*}", "{branch: release/1}"),
        ("{changes: ['a/**']}", "{changes: ['b/**']}"),
        ("{not: {event: schedule}}", "{tag: 'v*'}"),
        ("{env: {X: '1'}}", "{branch: main}"),
    ],
)
def test_a_condition_that_may_be_true(pipeline: str, stage: str) -> None:
    """Some run has both conditions."""
    text = stages("{name: a, script: [ls]}", f"{{name: b, when: {stage}, script: [ls]}}", pipeline=f"when: {pipeline}")

    assert findings(check, text) == []


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ("{any: [{branch: main}, {tag: v, event: merge_request}]}", ["v"]),
        ("{branch: main, any: [{tag: v}, {event: push}]}", ["v"]),
        ("{any: [{branch: main}, {tag: v}]}", []),
        ("{any: [{branch: main}, {branch: develop, event: schedule}]}", []),
        ("{not: {any: [{branch: main}, {tag: v, event: merge_request}]}}", []),
    ],
)
def test_alternatives_that_are_never_true(when: str, expected: list[str]) -> None:
    """An alternative of `any` contradicts itself or a sibling of `any`."""
    text = stages("{name: a, script: [ls]}", f"{{name: b, when: {when}, script: [ls]}}")

    assert [text for _, text in findings(check, text)] == expected


def test_an_alternative_of_a_pipeline_is_reported_once() -> None:
    """It is not reported again for each stage."""
    text = stages("{name: a, script: [ls]}", pipeline="when: {any: [{branch: main}, {tag: v, event: merge_request}]}")

    assert [text for _, text in findings(check, text)] == ["v"]


@pytest.mark.parametrize(
    ("pipeline", "stage", "cases", "unreachable"),
    [
        ("{branch: main}", "{event: push}", "{branch: dev}|{branch: main}", 1),
        ("{branch: true}", "{not: {branch: main}}", "{branch: main}", 1),
        ("{branch: true}", "{event: push}", "{branch: [main, dev]}|{branch: main}", 1),
        ("{branch: true}", "{event: push}", "{branch: main}|{branch: [main, dev]}|{tag: v1}", 1),
        ("{branch: true}", "{event: push}", "{branch: main}|{env: {X: '1'}}", 0),
    ],
)
def test_a_case_that_no_run_chooses(pipeline: str, stage: str, cases: str, unreachable: int) -> None:
    """The conditions of the pipeline, the stage or the cases before it exclude it."""
    listed = ", ".join(f"{{when: {when}, env: {{A: b}}}}" for when in cases.split("|"))
    text = stages(f"{{name: b, when: {stage}, cases: [{listed}], script: [ls]}}", pipeline=f"when: {pipeline}")

    assert [text for _, text in findings(check, text)] == ["when"] * unreachable
