"""Jobs and stages whose names a config reserves, and keys and values of GitLab without an effect."""

from __future__ import annotations

from pathlib import Path

import pytest
from importing.samples import from_text, messages

from pipegen.diagnostics.report import Report
from pipegen.importing.accounting import KeyOutcome
from pipegen.importing.gitlab.proof.comparison import prove
from pipegen.importing.jenkins.importer import import_jenkins
from pipegen.source.text import SourceFile

_JOBS = """\
stages: [build, deploy]
setup: { stage: build, script: [make], parallel: { matrix: [{ A: [x, z] }] } }
setup-job: { stage: build, script: [make other] }
unit: { stage: build, needs: [setup], script: [make test] }
single: { stage: deploy, needs: [{ job: "setup: [x]" }], script: [make single] }
files: { stage: deploy, dependencies: [setup], script: [make files] }
review: { stage: deploy, script: [./deploy], environment: { name: setup, on_stop: teardown } }
teardown:
  stage: deploy
  script: [./stop]
  environment: { name: setup, action: stop }
  when: manual
"""


def test_jobs_with_reserved_names_become_stages_with_other_names(tmp_path: Path) -> None:
    """Needs, combinations in them, `dependencies` and `on_stop` have the new names; an environment keeps its name."""
    result, report = from_text(_JOBS, tmp_path)
    proof = prove(result)

    assert 'job "setup" becomes stage "setup-job-", because a config reserves its name' in messages(report)
    assert {"setup-job-", "teardown-job", "unit", "single", "files"} < {*result.jobs}
    assert "environment: { name: setup, on_stop: teardown-job }" in result.text
    assert 'setup-job-[A=x]", single]' in result.text
    assert proof is not None
    assert proof.differences == ()


def test_a_need_on_a_job_of_another_project_keeps_its_name(tmp_path: Path) -> None:
    """That project has its own job `setup`."""
    need = "{ project: group/other, job: setup, ref: main, artifacts: true }"
    result, _ = from_text(f"setup: {{ script: [a] }}\nb: {{ stage: deploy, script: [b], needs: [{need}] }}\n", tmp_path)

    assert "job: setup," in result.text


def test_a_stage_of_jenkins_with_a_reserved_name_gets_another() -> None:
    """As one of two stages of the same name does."""
    text = "pipeline { agent any; stages { stage('setup') { steps { sh 'make' } } } }"
    result = import_jenkins(SourceFile("Jenkinsfile", text), Report())

    assert "name: setup 2" in result.text
    assert result.generated


def test_a_time_limit_in_the_defaults_has_no_effect(tmp_path: Path) -> None:
    """GitLab reads it and ignores it: https://gitlab.com/gitlab-org/gitlab/-/issues/213634."""
    text = "default: { timeout: 5m }\na: { script: [a] }\nb: { script: [b], timeout: 1h }\n"
    result, report = from_text(text, tmp_path)

    assert '"timeout" in "default" has no effect: GitLab ignores it there' in messages(report)
    assert result.text.count("timeout") == 1


def test_a_trigger_without_a_value_is_left_out(tmp_path: Path) -> None:
    """GitLab refuses the job; the config compiles."""
    result, report = from_text("a: { trigger: , script: [a] }\n", tmp_path)

    assert result.generated
    assert '"trigger" in "a" has no effect' in messages(report)


def test_no_cancellation_after_a_failure_is_the_usual_behavior(tmp_path: Path) -> None:
    """`none` is the default: https://docs.gitlab.com/ci/yaml/#workflowauto_cancelon_job_failure."""
    result, report = from_text("workflow: { auto_cancel: { on_job_failure: none } }\na: { script: [a] }\n", tmp_path)

    assert "on_job_failure" not in messages(report)
    assert sum(result.count.number(outcome) for outcome in KeyOutcome) == result.count.keys


@pytest.mark.parametrize("name", ["default", "workflow"])
def test_keywords_that_gitlab_does_not_reserve_name_jobs(name: str, tmp_path: Path) -> None:
    """Their keys are no defaults of other jobs: `lib/gitlab/ci/config/entry/root.rb` of GitLab."""
    source = f"{name}: {{ image: python, script: [lint] }}\nother: {{ script: [make], needs: [{name}] }}\n"
    result, report = from_text(source, tmp_path)
    proof = prove(result)

    assert {*result.jobs} == {name, "other"}
    assert "defaults:" not in result.text
    assert "refuses" not in messages(report)
    assert proof is not None
    assert proof.differences == ()
