"""Inputs as variables in GitLab's form for new pipelines."""

from __future__ import annotations

import pytest
from yaml_data import yaml_data

from pipegen.compiler import analyse, generate
from pipegen.diagnostics.report import Report
from pipegen.source.text import SourceFile
from pipegen.targets import registry


def variable(takes: str) -> object:
    """Return the variable of an input declared as *takes*."""
    config = f"inputs: {{x: {takes}}}\npipelines: {{p: {{stages: [{{name: s, script: [echo]}}]}}}}\n"
    report = Report()
    analysed = analyse(SourceFile("pipegen.yaml", config), (), report)
    return yaml_data(generate(analysed, registry.load("gitlab"), {}, report)[-1].text)["variables"]["x"]


@pytest.mark.parametrize(
    ("takes", "expected"),
    [
        ("a", {"value": "a"}),
        ("{}", {"value": ""}),
        ("1.10", {"value": "1.10"}),
        ("'$HOME'", {"value": "$HOME", "expand": False}),
        ("'%PATH%'", {"value": "%PATH%", "expand": False}),
        ('"a\\nb"', {"value": "a\nb"}),
        ("true", {"value": "true", "options": ["true", "false"]}),
        ("{type: boolean}", {"value": "", "options": ["", "true", "false"]}),
        ("{choices: [a, b, a], default: b}", {"value": "b", "options": ["a", "b"]}),
        ("{choices: [a, b]}", {"value": "", "options": ["", "a", "b"]}),
        ("{choices: [a, '']}", {"value": "", "options": ["a", ""]}),
    ],
)
def test_an_input_becomes_a_variable_with_a_literal_default(takes: str, expected: dict[str, object]) -> None:
    """Choices become its options; unread inputs are included."""
    assert variable(takes) == {"description": "Read as inputs.x.", **expected}


def test_the_description_is_unchanged() -> None:
    """Quotes and variables in it are literal."""
    assert variable("{default: a, description: 'on: \"$x\"'}") == {"value": "a", "description": 'on: "$x"'}
