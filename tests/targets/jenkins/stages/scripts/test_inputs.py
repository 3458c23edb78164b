"""Inputs as parameters of the build."""

from __future__ import annotations

import pytest

from pipegen.compiler import analyse, generate
from pipegen.diagnostics.report import Report
from pipegen.source.text import SourceFile
from pipegen.targets import registry


def compiled(takes: str) -> str:
    """Return the Jenkinsfile of a stage that reads the input `x`, declared as *takes*."""
    config = f"inputs: {{x: {takes}}}\npipelines: {{p: {{stages: [{{name: s, script: ['echo ${{inputs.x}}']}}]}}}}\n"
    report = Report()
    analysed = analyse(SourceFile("pipegen.yaml", config), (), report)
    return generate(analysed, registry.load("jenkins"), {}, report)[-1].text


@pytest.mark.parametrize(
    ("takes", "parameter"),
    [
        ("a", "string(name: 'x', defaultValue: 'a')"),
        ("{}", "string(name: 'x', defaultValue: '')"),
        ("{default: ''}", "string(name: 'x', defaultValue: '')"),
        ("1.10", "string(name: 'x', defaultValue: '1.10')"),
        ('"a\\nb\'$c"', "text(name: 'x', defaultValue: 'a\\nb\\'$c')"),
        ("true", "booleanParam(name: 'x', defaultValue: true)"),
        ("{type: boolean}", "choice(name: 'x', choices: ['', 'true', 'false'])"),
        ("{choices: [a, b, a], default: b}", "choice(name: 'x', choices: ['b', 'a'])"),
        ("{choices: [a, b]}", "choice(name: 'x', choices: ['', 'a', 'b'])"),
        ("{choices: [a, '']}", "choice(name: 'x', choices: ['', 'a'])"),
        (
            '{default: a, description: "it\'s"}',
            "string(name: 'x', defaultValue: 'a', description: 'it\\'s')",
        ),
    ],
)
def test_inputs_become_parameters_with_defaults(takes: str, parameter: str) -> None:
    """The default of a choice is its first value; `params` has defaults also in a first build."""
    text = compiled(takes)

    assert f"        {parameter}\n" in text
    assert '        PIPEGEN_INPUT_x = "${params.x}"\n' in text
