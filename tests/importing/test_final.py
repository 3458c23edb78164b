"""Jobs of the last stage that run after failures become stages in `finally`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from importing.samples import from_text, messages
from yaml_data import yaml_data

from pipegen.importing.gitlab.importer import GitLabImport
from pipegen.importing.gitlab.proof import prove

_SOURCE = """\
stages: [build, test, end]
build: { stage: build, script: [make], artifacts: { paths: [dist/] } }
test: { stage: test, script: [make test], artifacts: { paths: [report.xml] } }
"""


def test_jobs_of_the_last_stage_that_always_run_are_in_finally(tmp_path: Path) -> None:
    """They get the same files as in the original, and no other stage waits for them."""
    text = f"""{_SOURCE}
report: {{ stage: end, script: [./report], when: always, dependencies: [test] }}
collect: {{ stage: end, script: [./collect], when: always }}
clean: {{ stage: end, script: [./clean], dependencies: [], rules: [{{ if: $CI_COMMIT_BRANCH, when: always }}] }}
"""
    result, _ = from_text(text, tmp_path)
    pipeline = _pipeline(result)
    stages = {stage["name"]: stage for stage in pipeline["stages"]}

    assert pipeline["finally"] == ["report", "collect", "clean"]
    assert "execution" not in pipeline
    assert [stages[name].get("files_from") for name in pipeline["finally"]] == [["test"], ["build", "test"], None]
    assert "raw" not in result.text
    assert _differences(result) == []


def test_jobs_of_the_last_stage_run_for_the_status_of_the_pipeline(tmp_path: Path) -> None:
    """Those beside a job that runs after failures are in `finally`, too."""
    text = f"""{_SOURCE}
alert: {{ stage: end, script: [./alert], rules: [{{ if: $CI_COMMIT_BRANCH, when: on_failure }}] }}
clean: {{ stage: end, script: [./clean], when: always, dependencies: [] }}
announce: {{ stage: end, script: [./announce], dependencies: [test] }}
"""
    result, _ = from_text(text, tmp_path)

    assert _pipeline(result)["finally"] == {"always": ["clean"], "failed": ["alert"], "success": ["announce"]}
    assert "raw" not in result.text
    assert _differences(result) == []


@pytest.mark.parametrize("artifacts", ["expire_in: 1 week, reports: { junit: lint.xml }", "paths: []"])
def test_a_job_without_files_is_no_source_of_a_final_one(artifacts: str, tmp_path: Path) -> None:
    """Its artifacts only say how a report is retained, or have no paths."""
    lint = f"lint: {{ stage: test, script: [./lint], artifacts: {{ {artifacts} }} }}"
    result, _ = from_text(f"{_SOURCE}{lint}\nclean: {{ stage: end, script: [./c], when: always }}\n", tmp_path)
    stages = {stage["name"]: stage for stage in _pipeline(result)["stages"]}

    assert stages["clean"]["files_from"] == ["build", "test"]
    assert _differences(result) == []


def test_a_last_stage_whose_jobs_wait_for_success_is_in_the_arcs(tmp_path: Path) -> None:
    """No job runs after a failure."""
    result, _ = from_text(f"{_SOURCE}deploy: {{ stage: end, script: [./deploy] }}\n", tmp_path)

    assert "finally" not in _pipeline(result)


@pytest.mark.parametrize(
    "jobs",
    [
        "clean: { stage: end, script: [./clean], when: always, needs: [test] }",
        "clean: { stage: end, script: [./clean], when: always }\ndeploy: { stage: end, script: [d], needs: [test] }",
        "clean: { stage: end, script: [./clean], when: always }\ndeploy: { stage: end, script: [d], when: manual }",
        "clean: { stage: test, script: [./clean], when: always }\ndeploy: { stage: end, script: [./deploy] }",
        "a: { stage: end, script: [a], when: always }\nb: { stage: end, when: always, needs: [a], script: [b] }",
        "ui: { stage: test, script: t, artifacts: { when: on_failure } }\nc: { stage: end, when: always, script: c }",
    ],
    ids=["needs", "needs beside it", "manual beside it", "not last", "needed", "gets files of a failure"],
)
def test_jobs_with_another_order_are_not_in_finally(jobs: str, tmp_path: Path) -> None:
    """A stage in `finally` would wait for more stages, get fewer files, or others could not wait for it."""
    result, _ = from_text(f"{_SOURCE}{jobs}\n", tmp_path)

    assert "finally" not in _pipeline(result)
    assert "when: always" in result.text
    assert _differences(result) == []


def _pipeline(result: GitLabImport) -> dict[str, Any]:
    pipeline: dict[str, Any] = yaml_data(result.text)["pipelines"]["ci"]
    return pipeline


def _differences(result: GitLabImport) -> list[str]:
    proof = prove(result)
    assert proof is not None
    return [difference.message for difference in proof.differences]


def test_a_job_after_failures_before_the_last_stage_keeps_the_order_of_its_stage(tmp_path: Path) -> None:
    """With a need on `test`, which is skipped if `build` fails, GitLab would skip it, too.

    https://docs.gitlab.com/ci/yaml/#when: `on_failure` runs a job if at least one job in an earlier stage has failed.
    """
    text = """\
stages: [build, test, alert, deploy]
build: { stage: build, script: [make], artifacts: { paths: [dist/] } }
test: { stage: test, script: [make test], artifacts: { paths: [report.xml] } }
alert: { stage: alert, script: [./alert], when: on_failure, dependencies: [test] }
notify: { stage: alert, script: [./notify], rules: [{ if: $CI_COMMIT_TAG, when: manual }, { when: on_failure }] }
deploy: { stage: deploy, script: [./deploy], needs: [alert, test] }
"""
    result, _ = from_text(text, tmp_path)
    jobs = yaml_data(result.generated[-1].text)

    assert "needs" not in jobs["alert"]
    assert jobs["alert"]["dependencies"] == ["test"]
    assert "needs" not in jobs["notify"]
    assert _differences(result) == []


def test_a_job_after_failures_of_the_first_stage_has_needs(tmp_path: Path) -> None:
    """Nothing skips the jobs that it needs."""
    text = "stages: [a, b, c]\nx: { stage: a, script: [x] }\ny: { stage: b, script: [y], when: on_failure }\n"
    result, _ = from_text(f"{text}z: {{ stage: c, script: [z], needs: [y] }}\n", tmp_path)

    assert yaml_data(result.generated[-1].text)["y"]["needs"] == ["x"]


def test_a_job_after_failures_that_would_wait_for_more_jobs_is_reported(tmp_path: Path) -> None:
    """Without needs, it would wait for `late`, which is in the same stage."""
    text = f"""{_SOURCE}
late: {{ stage: end, script: [./late], needs: [build] }}
alert: {{ stage: end, script: [./alert], when: on_failure }}
"""
    result, report = from_text(text, tmp_path)

    assert 'job "alert" starts after failures of the jobs directly before it' in messages(report)
    assert yaml_data(result.generated[-1].text)["alert"]["needs"]
