"""Variables that all stages have are variables of the file, where each job gets them from there."""

from __future__ import annotations

import pytest
from targets.gitlab.compiled import compiled
from yaml_data import yaml_data

_CONFIG = """
    pipelines:
      ci:
        defaults: {{ env: {{ LEVEL: full }} }}
        stages:
          - {{ name: unit, script: [make] }}
          - {{ name: lint, script: [make], raw: {{ gitlab: {{ {raw} }} }} }}
    targets:
      gitlab: {{ workflow: {{ rules: [{{ when: always, variables: {{ {name}: none }} }}] }} }}
"""


@pytest.mark.parametrize(
    ("raw", "name", "is_shared"),
    [
        ("coverage: x", "OTHER", True),
        ("inherit: { variables: false }", "OTHER", False),
        ("coverage: x", "LEVEL", False),
    ],
)
def test_jobs_keep_variables_that_they_would_not_get_from_the_file(raw: str, name: str, *, is_shared: bool) -> None:
    """A job with `inherit` does not get them, and rules of the workflow replace those of the file, but not its own."""
    text = compiled(_CONFIG.format(raw=raw, name=name)).text
    data = yaml_data(text)

    assert ("LEVEL" in data.get("variables", {})) is is_shared
    assert {job: data[job].get("variables") for job in ("unit", "lint")} == dict.fromkeys(
        ("unit", "lint"), None if is_shared else {"LEVEL": "full"}
    )


def test_a_job_whose_own_text_removes_its_variables_gets_none_from_the_file() -> None:
    """`null` removes what pipegen generates, wherever that is."""
    data = yaml_data(compiled(_CONFIG.format(raw="variables: null", name="OTHER")).text)

    assert "LEVEL" not in data.get("variables", {})
    assert [data[job].get("variables") for job in ("unit", "lint")] == [{"LEVEL": "full"}, None]


def test_a_job_with_another_value_has_its_own() -> None:
    """The file has the value that most jobs have; a variable that a job lacks stays in the others."""
    stages = ", ".join(
        f"{{ name: {name}, script: [make {name}], env: {{ {env} }} }}"
        for name, env in (("a", "CGO: '0', A: x"), ("b", "CGO: '1', A: x"), ("c", "CGO: '0'"))
    )
    data = yaml_data(compiled(f"pipelines: {{ p: {{ stages: [{stages}] }} }}").text)

    assert data["variables"] == {"CGO": "0"}
    assert [data[name].get("variables") for name in "abc"] == [{"A": "x"}, {"CGO": "1", "A": "x"}, None]


def test_the_job_of_a_webhook_gets_the_variables_of_the_file() -> None:
    """It lacks those that all stages of the config have."""
    stages = "[{ name: a, script: [make a] }, { name: b, script: [make b] }]"
    pipeline = f"notify: {{ webhook: {{ url: chat }} }}, defaults: {{ env: {{ CGO: '0' }} }}, stages: {stages}"
    data = yaml_data(compiled(f"pipelines: {{ p: {{ {pipeline} }} }}").text)

    assert data["variables"] == {"CGO": "0"}
    assert "CGO" not in data["notify"]["variables"]
