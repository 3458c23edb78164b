"""Inputs that are never read."""

from __future__ import annotations

import pytest
from lint.findings import findings, stages

from pipegen.lint.rules.unused_input import check

HEAD = "inputs: {level: quick}\n"


def test_an_unused_input_is_reported() -> None:
    """The diagnostic is at its name."""
    assert findings(check, stages("{name: a, script: [ls]}", head=HEAD)) == [(1, "level")]


@pytest.mark.parametrize(
    "stage",
    [
        "{name: a, script: ['echo ${inputs.level}']}",
        "{name: a, script: ['echo ${inputs.level|none}']}",
        "{name: a, script: ['echo $level']}",
        "{name: a, script: ['echo ${setup.params.level}']}",
        "{name: a, script: ['echo \"${level:-quick}\"']}",
        "{name: a, script: [ls], image: 'x:${inputs.level}'}",
        "{name: a, script: [ls], when: {inputs: {level: full}}}",
        "{name: a, script: [ls], when: {equal: [branch, inputs.level]}}",
        "{name: a, script: [ls], when: {any: [{not: {inputs: {level: full}}}, {branch: main}]}}",
    ],
)
def test_a_used_input_is_not_reported(stage: str) -> None:
    """A reference, a variable or a condition reads it."""
    assert findings(check, stages("{name: z, script: [ls]}", stage, head=HEAD)) == []


def test_an_input_that_another_pipeline_reads_is_not_reported() -> None:
    """Inputs belong to the file."""
    other = "  q:\n    stages: [{name: b, script: ['echo ${inputs.level}']}]\n"

    assert findings(check, stages("{name: a, script: [ls]}", head=HEAD) + other) == []
