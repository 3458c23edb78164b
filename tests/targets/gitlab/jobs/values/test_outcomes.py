"""Finally stages that read the status of the pipeline."""

from __future__ import annotations

from typing import Any

import pytest
from targets.gitlab.compiled import compiled

from pipegen.targets.gitlab.jobs.values.variables import is_free_name


def _generated(last: str) -> dict[str, Any]:
    """Return the file of a stage and the finally stage *last*."""
    return compiled(f"""
        pipelines:
          p:
            stages:
              - {{ name: a, script: x, artifacts: [dist] }}
              - {{ name: last, {last} }}
            finally: [last]
    """).data


def test_the_pipeline_status_becomes_two_jobs_with_a_variable() -> None:
    """Exactly one of them runs; the second extends the first."""
    data = _generated("env: { RESULT: '${pipeline.status}' }, script: 'echo $RESULT', files_from: [a]")

    assert data["stages"] == ["a", "finally"]
    assert data["last"] == {
        "stage": "finally",
        "dependencies": ["a"],
        "variables": {"RESULT": "success"},
        "script": ["echo $RESULT"],
    }
    assert data["last on failure"] == {
        "extends": "last",
        "when": "on_failure",
        "variables": {"PIPEGEN_HELPER": "1", "RESULT": "failed"},
    }


def test_a_status_in_a_script_becomes_a_variable() -> None:
    """A name that the runner reads is set by the script instead."""
    data = _generated("env: { CI_JOB_STATUS: '${pipeline.status}' }, script: 'echo ${pipeline.status}'")

    assert data["last"]["variables"] == {"PIPELINE_STATUS": "success"}
    assert "$PIPELINE_STATUS" in str(data["last"]["script"])
    assert any("CI_JOB_STATUS=" in line for line in data["last"]["script"])


def test_conditions_hold_for_both_jobs() -> None:
    """The rules of the second job also require a failure."""
    data = _generated("script: 'echo ${pipeline.status}', when: { branch: main }")

    assert [data[name].get("when") for name in ("last", "last on failure")] == [None, "on_failure"]
    assert data["last"]["rules"] == [{"if": '$CI_COMMIT_BRANCH == "main"'}]
    assert data["last on failure"]["extends"] == "last"
    assert "rules" not in data["last on failure"]


@pytest.mark.parametrize(
    "last",
    [
        "script: 'echo ${pipeline.status} ${a.status}'",
        "script: 'echo ${pipeline.status}', raw: { gitlab: { retry: 1 } }",
    ],
)
def test_other_statuses_are_recorded_by_a_helper(last: str) -> None:
    """The status of a stage always requires a helper, and raw keys may have any effect."""
    assert "note when a stage fails" in _generated(last)


@pytest.mark.parametrize(
    "name", ["STATUS", "MAVEN_OPTS", "NODE_ENV", "CIVIL", "CI_MACHINE", "AWS_REGION", "DOCKER_BUILDKIT"]
)
def test_names_of_programs_are_free_for_variables(name: str) -> None:
    """Programs read them, but the runner does not."""
    assert is_free_name(name)


@pytest.mark.parametrize(
    "name",
    [
        *("CI", "CI_JOB_X", "CI_COMMIT", "GIT_DEPTH", "DOCKER_AUTH_CONFIG", "AWS_PROFILE", "PATH"),
        *("http_proxy", "a-b", "PIPEGEN_X", "AFTER_SCRIPT_IGNORE_ERRORS"),
    ],
)
def test_names_that_the_runner_reads_are_not_free(name: str) -> None:
    """Nor are invalid variable names."""
    assert not is_free_name(name)
