"""Axes of a matrix in the place of variables."""

from __future__ import annotations

import pytest
from lint.findings import findings, stages

from pipegen.lint.rules import axis_variable


def read(more: str, *others: str, head: str = "") -> list[str]:
    """Return the underlined text in a stage with the axes JDK and os, and *more*."""
    stage = f"{{name: a, matrix: {{JDK: ['17', '21'], os: [linux]}}, {more}}}"
    return [text for _, text in findings(axis_variable.check, stages(stage, *others, head=head))]


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("script: 'mvn -Djdk=$JDK'", ["$JDK"]),
        ("script: ['echo \"${JDK}\"', 'echo $os']", ["${JDK}", "$os"]),
        ("script: true, after: 'echo $JDK'", ["$JDK"]),
        ("before: 'echo $JDK', script: true", ["$JDK"]),
        ("script: true, env: {HOME_OF_JAVA: 'jdk-${JDK}'}", ["${JDK}"]),
        ("script: 'mvn -Djdk=${matrix.JDK}'", []),
        ("script: 'mvn -Djdk=${JDK:-21}'", []),
        ("script: \"echo '$JDK'\"", []),
        ("script: ['JDK=21', 'echo $JDK']", []),
        ("script: ['for os in a b; do echo $os; done']", []),
        ("script: ['. ./settings', 'echo $JDK']", []),
        ("script: 'echo $JDK', env: {JDK: '${matrix.JDK}'}", []),
        ("script: 'echo $JDK', secrets: {JDK: jdk}", []),
        ("script: 'echo $JDKS $other'", []),
        ("script: 'echo $JDK', raw: {gitlab: {variables: {JDK: '8'}}}", []),
    ],
)
def test_an_axis_that_a_script_reads_as_a_variable(more: str, expected: list[str]) -> None:
    """GitLab and Jenkins export axes of their matrices under their names; here, they are values of the config."""
    assert read(more) == expected


def test_a_script_that_another_stage_shares() -> None:
    """A shared script is reported only if the variable is set in no stage that has it."""
    head = "templates: {shared: {script: 'echo $JDK'}}\n"

    assert read("extends: shared", head=head) == ["$JDK"]
    assert read("extends: shared", "{name: b, extends: shared, env: {JDK: '8'}}", head=head) == []


def test_an_axis_with_the_name_of_a_usual_variable() -> None:
    """Every shell has a PATH, whatever the axes are."""
    config = stages("{name: a, matrix: {PATH: [a, b]}, script: 'echo $PATH'}")

    assert findings(axis_variable.check, config) == []


def test_variables_of_stages_without_a_matrix() -> None:
    """A stage without the axis may get the variable from its agent."""
    assert read("script: true", "{name: b, script: 'echo $JDK'}") == []
