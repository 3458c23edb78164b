"""Options for fetching the repository."""

from __future__ import annotations

import pytest
from targets.gitlab.compiled import compiled


@pytest.mark.parametrize(
    ("fetch", "variables"),
    [
        (
            "{ shallow: true, depth: 3, submodules: true, tags: true }",
            {
                "GIT_DEPTH": "3",
                "GIT_FETCH_EXTRA_FLAGS": "--prune --quiet --tags",
                "GIT_SUBMODULE_STRATEGY": "recursive",
            },
        ),
        (
            "{ shallow: false, submodules: false }",
            {
                "GIT_DEPTH": "0",
                "GIT_FETCH_EXTRA_FLAGS": "--prune --quiet --no-tags",
            },
        ),
    ],
)
def test_common_fetch_options_are_file_variables(fetch: str, variables: dict[str, str]) -> None:
    """All jobs have the same fetch options."""
    output = compiled(f"pipelines: {{ service: {{ fetch: {fetch}, stages: [{{ name: unit }}] }} }}")

    assert variables.items() <= output.data["variables"].items()


def test_default_fetch_options_are_omitted() -> None:
    """The project's settings apply."""
    output = compiled("pipelines: { service: { stages: [{ name: unit }] } }")

    assert "GIT_DEPTH" not in output.text


def test_different_fetch_options_are_job_variables() -> None:
    """The options of one pipeline do not affect another."""
    output = compiled("""
        pipelines:
          one: { fetch: { depth: 3 }, stages: [{ name: unit }] }
          two: { stages: [{ name: unit }] }
    """)

    assert output.data["one: unit"]["variables"]["GIT_DEPTH"] == "3"
    assert "GIT_DEPTH" not in output.data["two: unit"].get("variables", {})


@pytest.mark.parametrize(
    ("fetch", "variables"),
    [
        ("false", {"GIT_STRATEGY": "none"}),
        ("{ depth: 3 }", {"GIT_DEPTH": "3"}),
        ("{ shallow: false, submodules: false }", {"GIT_DEPTH": "0", "GIT_SUBMODULE_STRATEGY": "none"}),
        (
            "{ submodules: direct, submodule_depth: 2 }",
            {"GIT_SUBMODULE_STRATEGY": "normal", "GIT_SUBMODULE_DEPTH": "2"},
        ),
        ("{ clone: true }", {"GIT_STRATEGY": "clone"}),
        ("{ clone: false, path: a b/c }", {"GIT_STRATEGY": "fetch", "GIT_CLONE_PATH": "$CI_BUILDS_DIR/a b/c"}),
        ("{ tags: true }", {"GIT_FETCH_EXTRA_FLAGS": "--prune --quiet --tags"}),
    ],
)
def test_a_stage_overrides_the_variables_of_the_file(fetch: str, variables: dict[str, str]) -> None:
    """Other stages have no such variables."""
    stages = f"[{{ name: unit, script: [make], fetch: {fetch} }}, {{ name: lint, script: [make lint] }}]"
    output = compiled(f"pipelines: {{ service: {{ fetch: {{ depth: 5 }}, stages: {stages} }} }}")

    assert output.data["variables"]["GIT_DEPTH"] == "5"
    assert output.data["unit"]["variables"] == variables
    assert "variables" not in output.data["lint"]


def test_a_stage_that_reads_a_value_that_may_be_missing_fetches_all_the_same() -> None:
    """The folder may have the value of an earlier pipeline."""
    stages = [
        "{ name: build, script: [make], outputs: { v: { command: cat V } }, when: { branch: main } }",
        "{ name: certain, fetch: false, script: ['echo upload'] }",
        "{ name: optional, fetch: false, script: ['echo ${build.v|none}'] }",
    ]
    output = compiled(f"pipelines: {{ service: {{ stages: [{', '.join(stages)}] }} }}")

    assert output.data["certain"]["variables"] == {"GIT_STRATEGY": "none"}
    assert "variables" not in output.data["optional"]
