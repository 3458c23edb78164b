"""Variables for how the runner fetches the repository."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from importing.samples import from_text, messages

from pipegen.importing.gitlab.proof.comparison import prove


@pytest.mark.parametrize(
    ("variables", "fetch"),
    [
        ("GIT_STRATEGY: none", "fetch: false"),
        ("GIT_STRATEGY: none, GIT_DEPTH: 5, GIT_FETCH_EXTRA_FLAGS: --prune", "fetch: false"),
        ("GIT_DEPTH: 20", "fetch: { depth: 20 }"),
        ("GIT_DEPTH: '0', GIT_SUBMODULE_STRATEGY: recursive", "fetch: { shallow: false, submodules: true }"),
        ("GIT_STRATEGY: clone", "fetch: { clone: true }"),
        ("GIT_STRATEGY: fetch", "fetch: { clone: false }"),
        ("GIT_CLONE_PATH: $CI_BUILDS_DIR/app ci", "fetch: { path: app ci }"),
        (
            "GIT_SUBMODULE_STRATEGY: normal, GIT_SUBMODULE_DEPTH: 1",
            "fetch: { submodules: direct, submodule_depth: 1 }",
        ),
        ("GIT_FETCH_EXTRA_FLAGS: --prune --quiet --no-tags", "fetch: { tags: false }"),
    ],
)
def test_options_of_the_checkout_are_translated(variables: str, fetch: str, tmp_path: Path) -> None:
    """The generated job has the same variables."""
    result, report = from_text(f"unit: {{ script: make, variables: {{ {variables} }} }}\n", tmp_path)

    assert f"{fetch}, script" in result.text
    assert "raw" not in result.text
    assert messages(report) == ""


@pytest.mark.parametrize(
    ("variables", "key"),
    [
        *(("GIT_DEPTH: $DEPTH", "raw: { gitlab: { variables"), ("GIT_DEPTH: '007'", "raw: { gitlab: { variables")),
        *(("GIT_CHECKOUT: 'false'", "runner_variables"), ("GIT_SUBMODULE_PATHS: a", "runner_variables")),
        ("GIT_CLONE_PATH: /builds/a", "runner_variables"),
        ("GIT_CLONE_PATH: $CI_BUILDS_DIR/../a", "runner_variables"),
        ("GIT_CLONE_PATH: $CI_BUILDS_DIR/$A", "runner_variables"),
        ("A: a, GIT_CLONE_PATH: $CI_BUILDS_DIR/$A", "raw: { gitlab: { variables"),
        ("A: $CI_JOB_ID, GIT_CLONE_PATH: $CI_BUILDS_DIR/$A", "raw: { gitlab: { variables"),  # the script exports A
    ],
)
def test_other_options_stay_variables(variables: str, key: str, tmp_path: Path) -> None:
    """The key `fetch` cannot say them."""
    result, _ = from_text(f"unit: {{ script: make, variables: {{ {variables} }} }}\n", tmp_path)

    assert "fetch" not in result.text
    assert f"{key}: {{ GIT_" in result.text


@pytest.mark.parametrize(
    ("key", "command"), [("script", "git clone --depth=$GIT_DEPTH u"), ("after_script", "./log GIT_DEPTH")]
)
def test_a_script_that_names_an_option_of_the_checkout_gets_it(key: str, command: str, tmp_path: Path) -> None:
    """Although the runner fetches nothing."""
    keys = {"script": "make", key: command, "variables": {"GIT_STRATEGY": "none", "GIT_DEPTH": "5"}}
    result, _ = from_text(json.dumps({"unit": keys}), tmp_path)
    proof = prove(result)

    assert 'raw: { gitlab: { variables: { GIT_DEPTH: "5" } } }' in result.text
    assert proof is not None
    assert proof.differences == ()


def test_the_depth_that_another_variable_reads_stays_raw(tmp_path: Path) -> None:
    """The variable has its value, though the runner fetches nothing."""
    variables = "{ GIT_STRATEGY: none, GIT_DEPTH: '7', LEVEL: d$GIT_DEPTH }"
    result, _ = from_text(f"unit: {{ script: make, variables: {variables} }}\n", tmp_path)

    assert 'raw: { gitlab: { variables: { GIT_DEPTH: "7" } } }' in result.text
