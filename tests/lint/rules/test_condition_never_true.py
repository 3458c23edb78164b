"""Conditions that contradict those around them."""

from __future__ import annotations

import pytest
from lint.findings import stages, told

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
def test_a_stage_that_never_runs_in_its_pipeline(pipeline: str, stage: str) -> None:
    """Each of the two holds in some run, and no run has both."""
    head = "inputs: {full: false}\n"
    text = stages(
        "{name: a, script: [ls]}", f"{{name: b, when: {stage}, script: [ls]}}", head=head, pipeline=f"when: {pipeline}"
    )

    assert [text for _, text in told(check, text)] == ["when"]


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
def test_a_stage_that_may_run(pipeline: str, stage: str) -> None:
    """Some run has both."""
    text = stages("{name: a, script: [ls]}", f"{{name: b, when: {stage}, script: [ls]}}", pipeline=f"when: {pipeline}")

    assert told(check, text) == []


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
def test_alternatives_that_never_hold(when: str, expected: list[str]) -> None:
    """What is left of an `any` where one alternative contradicts itself, or what stands beside."""
    text = stages("{name: a, script: [ls]}", f"{{name: b, when: {when}, script: [ls]}}")

    assert [text for _, text in told(check, text)] == expected


def test_the_alternatives_of_a_pipeline() -> None:
    """They are told of once."""
    text = stages("{name: a, script: [ls]}", pipeline="when: {any: [{branch: main}, {tag: v, event: merge_request}]}")

    assert [text for _, text in told(check, text)] == ["v"]
