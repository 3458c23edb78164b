"""Inputs that nobody reads."""

from __future__ import annotations

import pytest
from lint.findings import stages, told

from pipegen.lint.rules.unused_input import check

HEAD = "inputs: {level: quick}\n"


def test_an_input_that_nobody_reads() -> None:
    """Told where it is named."""
    assert told(check, stages("{name: a, script: [ls]}", head=HEAD)) == [(1, "level")]


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
        "{name: a, script: [ls], when: {any: [{not: {inputs: {level: full}}}, {branch: main}]}}",
    ],
)
def test_an_input_that_is_read(stage: str) -> None:
    """By reference, as a variable, or by a condition."""
    assert told(check, stages("{name: z, script: [ls]}", stage, head=HEAD)) == []


def test_another_pipeline_reads_it() -> None:
    """Inputs are the file's."""
    other = "  q:\n    stages: [{name: b, script: ['echo ${inputs.level}']}]\n"

    assert told(check, stages("{name: a, script: [ls]}", head=HEAD) + other) == []
