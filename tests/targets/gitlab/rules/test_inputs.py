"""Inputs as variables in GitLab's form for new pipelines."""

from __future__ import annotations

import pytest
from yaml_data import yaml_data

from pipegen.compiler import analyse, generate
from pipegen.diagnostics.report import Report
from pipegen.source.text import SourceFile
from pipegen.targets import registry


def variable(takes: str, name: str = "x") -> dict[str, object]:
    """Return the variable of the input *name*, declared as *takes*."""
    config = f"inputs: {{{name}: {takes}}}\npipelines: {{p: {{stages: [{{name: s, script: [echo]}}]}}}}\n"
    report = Report()
    analysed = analyse(SourceFile("pipegen.yaml", config), (), report)
    data = yaml_data(generate(analysed, registry.load("gitlab"), {}, report)[-1].text)
    variable: dict[str, object] = data["variables"][name]
    return variable


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
    assert variable(takes) == {"description": "X", **expected}


@pytest.mark.parametrize(
    ("name", "title"), [("dry_run", "Dry run"), ("mavenGoals", "Maven Goals"), ("DEPLOY_TO", "Deploy to")]
)
def test_an_input_without_a_description_has_its_name_as_a_title(name: str, title: str) -> None:
    """GitLab's form shows only variables with a description."""
    assert variable("a", name)["description"] == title


def test_the_description_is_unchanged() -> None:
    """Quotes and variables in it are literal."""
    assert variable("{default: a, description: 'on: \"$x\"'}") == {"value": "a", "description": 'on: "$x"'}
