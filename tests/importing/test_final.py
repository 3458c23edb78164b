"""Jobs of the last stage that run after failures become stages in `finally`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from importing.samples import differences, from_text, messages
from yaml_data import yaml_data

from pipegen.importing.gitlab.importer import GitLabImport
from pipegen.structs import replace

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
    assert differences(result) == []


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
    assert differences(result) == []


@pytest.mark.parametrize("artifacts", ["expire_in: 1 week, reports: { junit: lint.xml }", "paths: []"])
def test_a_job_without_files_is_no_source_of_a_final_one(artifacts: str, tmp_path: Path) -> None:
    """Its artifacts only say how a report is retained, or have no paths."""
    lint = f"lint: {{ stage: test, script: [./lint], artifacts: {{ {artifacts} }} }}"
    result, _ = from_text(f"{_SOURCE}{lint}\nclean: {{ stage: end, script: [./c], when: always }}\n", tmp_path)
    stages = {stage["name"]: stage for stage in _pipeline(result)["stages"]}

    assert stages["clean"]["files_from"] == ["build", "test"]
    assert differences(result) == []


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
        "u: {script: u, artifacts: {paths: [u], when: on_failure}}\nc: {stage: end, when: always, script: c}",
    ],
    ids=["needs", "needs beside it", "manual beside it", "not last", "needed", "gets files of a failure"],
)
def test_jobs_with_another_order_are_not_in_finally(jobs: str, tmp_path: Path) -> None:
    """A stage in `finally` would wait for more stages, get fewer files, or others could not wait for it."""
    result, _ = from_text(f"{_SOURCE}{jobs}\n", tmp_path)

    assert "finally" not in _pipeline(result)
    assert "when: always" in result.text
    assert differences(result) == []


def _pipeline(result: GitLabImport) -> dict[str, Any]:
    pipeline: dict[str, Any] = yaml_data(result.text)["pipelines"]["ci"]
    return pipeline


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
    assert differences(result) == []


_ALERT = f"""{_SOURCE.replace("end]", "alert, clean, end]")}
alert: {{ stage: alert, script: [./alert], when: on_failure }}
check: {{ stage: alert, script: [./check] }}
clean: {{ stage: clean, script: [./clean], when: always, dependencies: [] }}
deploy: {{ stage: end, script: [./deploy] }}
"""


def test_a_job_that_always_starts_before_the_last_stage_keeps_the_order_of_its_stage(tmp_path: Path) -> None:
    """With needs, it starts as soon as one is skipped: `lib/gitlab/ci/status/composite.rb` of GitLab."""
    result, _ = from_text(_ALERT, tmp_path)
    jobs = yaml_data(result.generated[-1].text)

    assert "raw: { gitlab: { when: always, needs: null, dependencies: [] } }" in result.text
    assert "needs" not in jobs["clean"]
    assert "alert" not in str(jobs["deploy"]["needs"])
    assert differences(result) == []


@pytest.mark.parametrize(
    ("needs", "message"),
    [
        ("[test]", 'job "clean" does not wait for "alert"'),
        ("[alert, check]", 'job "clean" starts before others have ended if one that it needs is skipped'),
    ],
)
def test_a_job_that_always_starts_at_another_time_is_reported(needs: str, message: str, tmp_path: Path) -> None:
    """The comparison knows for which jobs it waits after a failure: https://docs.gitlab.com/ci/yaml/#when."""
    result, _ = from_text(_ALERT, tmp_path)
    file = result.generated[-1]
    changed = replace(file, text=file.text.replace("\nclean:\n", f"\nclean:\n  needs: {needs}\n"))

    assert changed.text != file.text
    assert any(message in each for each in differences(replace(result, generated=(changed,))))


def test_a_need_of_another_need_lets_no_job_start_early(tmp_path: Path) -> None:
    """If it is skipped, so is the other one."""
    result, _ = from_text(_ALERT, tmp_path)
    file = result.generated[-1]
    changed = replace(file, text=file.text.replace("\nclean:\n", "\nclean:\n  needs: [test, check]\n"))

    assert changed.text != file.text
    assert not any("before others" in each for each in differences(replace(result, generated=(changed,))))


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


@pytest.mark.parametrize("stage", [".pre", ".post"])
def test_jobs_of_the_first_and_last_stage_do_not_start_alone(stage: str, tmp_path: Path) -> None:
    """GitLab starts no pipeline for them: they run when one of the other jobs does."""
    rules = "[{ if: $CI_COMMIT_TAG }, { if: $NIGHTLY }]"
    jobs = f"build: {{ script: make, rules: {rules} }}\ntest: {{ script: ls, only: [main] }}"
    result, _ = from_text(f"{jobs}\nnotify: {{ stage: {stage}, script: ./notify }}\n", tmp_path)
    stages = {stage["name"]: stage for stage in _pipeline(result)["stages"]}

    assert stages["notify"]["when"] == {
        "not": {"event": "merge_request"},
        "any": [{"tag": True}, {"env": {"NIGHTLY": True}}, {"branch": "main"}],
    }
    assert differences(result) == []


@pytest.mark.parametrize("stage", [".pre", ".post"])
def test_jobs_of_the_first_and_last_stage_keep_it_if_a_config_cannot_express_when_others_start(
    stage: str, tmp_path: Path
) -> None:
    """GitLab starts no pipeline for jobs of these stages alone."""
    jobs = 'build: { script: make, rules: [{ if: "$CI_COMMIT_TAG && $A =~ $B" }] }\n'
    result, report = from_text(f"{jobs}notify: {{ stage: {stage}, script: ./notify }}\n", tmp_path)

    assert differences(result) == []
    assert yaml_data(result.generated[-1].text)["notify"]["stage"] == stage
    assert '"stage" of job "notify" stays a key of GitLab' in messages(report)


@pytest.mark.parametrize(
    "jobs",
    [
        "{ stage: .pre, needs: [{ job: b, optional: true }], script: ls }\nb: { stage: .pre, script: b, only: [a] }",
        "{ stage: .post, script: ls }\nb: { stage: .post, needs: [notify], script: b, only: [a] }",
    ],
)
def test_jobs_with_order_in_the_first_or_last_stage_alone_are_a_difference(jobs: str, tmp_path: Path) -> None:
    """GitLab refuses needs of jobs in later stages, which the others have."""
    build = 'build: { script: make, rules: [{ if: "$CI_COMMIT_TAG && $A =~ $B" }] }'
    result, _ = from_text(f"{build}\nnotify: {jobs}\n", tmp_path)

    assert 'job "notify" runs only in the import' in differences(result)
