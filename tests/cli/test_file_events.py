"""Options for events of `pipegen plan` and `graph`, for a `.gitlab-ci.yml` and a Jenkinsfile."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from cli.program import Pipegen

# Without `workflow: rules`, jobs without rules are not in pipelines of merge requests:
# https://docs.gitlab.com/ci/pipelines/merge_request_pipelines/
GITLAB = """\
include: [{ local: more.yml }]
stages: [build, test, deploy]
build:
  stage: build
  script: make
  parallel: { matrix: [{ os: [linux, mac] }] }
alert: { stage: test, script: alert, when: on_failure }
docs:
  stage: test
  script: make docs
  needs: []
  rules:
    - if: $CI_PIPELINE_SOURCE == "push"
      changes: [docs/**]
"""
MORE = """\
deploy:
  stage: deploy
  script: ./deploy
  rules:
    - if: $CI_COMMIT_BRANCH == "live"
      when: manual
    - if: $CI_MERGE_REQUEST_IID
      when: never
    - if: $CI_COMMIT_TAG
"""
JENKINS = """\
pipeline {
  agent any
  stages {
    stage('build') {
      steps { sh 'make' }
    }
    stage('checks') {
      when { not { buildingTag() } }
      parallel {
        stage('lint') {
          steps { sh 'make lint' }
        }
        stage('nightly') {
          when { triggeredBy 'TimerTrigger' }
          steps { sh 'make nightly' }
        }
      }
    }
    stage('odd') {
      when { expression { return currentBuild.previousBuild?.result == 'FAILURE' } }
      steps { sh 'make odd' }
    }
    stage('never') {
      when { expression { return false } }
      steps { sh 'false' }
    }
    stage('deploy') {
      when { branch 'live' }
      input { message 'Deploy?' }
      steps { sh 'make deploy' }
    }
  }
}
"""
CONFIG = """\
pipelines:
  app:
    stages:
      - { name: unit, script: make, matrix: { os: [linux, mac] } }
      - { name: deploy, script: ./deploy, when: { branch: main }, approve: true }
      - { name: page, script: ./page, when: { event: schedule } }
    execution: [[unit, deploy], [unit, page]]
"""


@pytest.fixture
def foreign(empty: Path) -> Path:
    """Return the current folder with pipelines for both engines that pipegen did not generate."""
    for name, text in ((".gitlab-ci.yml", GITLAB), ("more.yml", MORE), ("Jenkinsfile", JENKINS)):
        (empty / name).write_text(text, encoding="utf-8")
    return empty


@pytest.mark.usefixtures("foreign")
def test_events_of_a_gitlab_pipeline(pipegen: Pipegen) -> None:
    """The table has its jobs, also of included files, and where their conditions are."""
    result = pipegen("plan", ".gitlab-ci.yml", "--events")

    assert (result.status, result.err) == (0, "")
    assert result.out == (
        "A  push to main; push to feature/x; push to release/1.0; push to develop\n"
        "B  push to live\n"
        "C  merge request\n"
        "D  tag v1.0.0\n"
        "E  schedule on main; manual on main; api on main\n"
        "\n"
        ".gitlab-ci.yml  A       B         C  D       E\n"
        "deploy          -       approval  -  yes     -\n"
        "build: linux    yes     yes       -  yes     yes\n"
        "build: mac      yes     yes       -  yes     yes\n"
        "alert           failed  failed    -  failed  failed\n"
        "docs            yes     yes       -  yes     -\n"
        "\n"
        'deploy  "rules" in more.yml:4\n'
        'docs    "rules" in .gitlab-ci.yml:12\n'
    )


@pytest.mark.usefixtures("foreign")
def test_one_event_of_a_gitlab_pipeline(pipegen: Pipegen) -> None:
    """Changed files count, and jobs that do not run have a reason."""
    pushed = pipegen("plan", ".gitlab-ci.yml", "--events", "--branch", "live", "--changed", "src/a.c")
    requested = pipegen("plan", ".gitlab-ci.yml", "--events", "--event", "merge_request")

    assert pushed.out == (
        "push to live\n"
        "pipeline .gitlab-ci.yml\n"
        "  deploy        waits for an approval\n"
        "  build: linux  runs\n"
        "  build: mac    runs\n"
        "  alert         runs if one has failed\n"
        '  docs          does not run: excluded by "rules" in .gitlab-ci.yml:12\n'
    )
    assert "  build: mac    does not run: only for branches and tags\n" in requested.out


def test_a_workflow_excludes_the_whole_pipeline(foreign: Path, pipegen: Pipegen) -> None:
    """The reason is where its rules are."""
    workflow = "workflow: { rules: [{ if: $CI_COMMIT_TAG }] }\n"
    (foreign / ".gitlab-ci.yml").write_text(workflow + GITLAB, encoding="utf-8")
    result = pipegen("plan", ".gitlab-ci.yml", "--events", "--branch", "main")

    assert result.out == (
        'push to main\npipeline .gitlab-ci.yml does not run: excluded by "workflow" in .gitlab-ci.yml:1\n'
    )


def test_gitlab_refuses_runs_without_a_needed_job(foreign: Path, pipegen: Pipegen) -> None:
    """No job runs then: https://docs.gitlab.com/ci/yaml/#needs."""
    text = GITLAB + "late: { stage: deploy, script: make, needs: [docs] }\n"
    (foreign / ".gitlab-ci.yml").write_text(text, encoding="utf-8")
    result = pipegen("plan", ".gitlab-ci.yml", "--events", "--event", "api")
    lines = pipegen("plan", ".gitlab-ci.yml", "--events").out.splitlines()
    refusal = 'GitLab refuses it: job "late" needs "docs", which does not run'
    order = pipegen("plan", ".gitlab-ci.yml", "--event", "api")
    data = json.loads(pipegen("plan", ".gitlab-ci.yml", "--event", "api", "--format", "json").out)

    assert result.out == f"api on main\npipeline .gitlab-ci.yml does not run: {refusal}\n"
    assert order.out == f".gitlab-ci.yml: gitlab, needs\n  no job runs: {refusal}\n"
    assert data["order"]["reason"] == refusal
    assert [line for line in lines if "refuses" in line] == [f"E  {refusal}"]
    assert "E  schedule on main; manual on main; api on main" in lines


def test_rules_in_unread_files_are_unknown(foreign: Path, pipegen: Pipegen) -> None:
    """A job whose script is in a file of another project may have rules there."""
    text = "include: [{ project: other/project, file: jobs.yml }]\ntest: { stage: test }\n"
    (foreign / ".gitlab-ci.yml").write_text(text, encoding="utf-8")
    result = pipegen("plan", ".gitlab-ci.yml", "--events", "--branch", "main", "--format", "json")
    (event,) = json.loads(result.out)["events"]

    assert event["pipelines"][0]["stages"] == [
        {"stage": "test", "runs": None, "reason": "only GitLab can evaluate its rules"}
    ]
    assert "PG852" in result.err


@pytest.mark.usefixtures("foreign")
def test_events_of_a_jenkinsfile(pipegen: Pipegen) -> None:
    """Conditions around a stage count, and Groovy that only Jenkins can evaluate is unknown."""
    result = pipegen("plan", "Jenkinsfile", "--events")

    assert (result.status, result.err) == (0, "")
    assert result.out == (
        "A  push to main; push to feature/x; push to release/1.0; push to develop; merge request; manual on main; "
        "api on main\n"
        "B  push to live\n"
        "C  tag v1.0.0\n"
        "D  schedule on main\n"
        "\n"
        "Jenkinsfile  A        B         C        D\n"
        "build        yes      yes       yes      yes\n"
        "lint         yes      yes       -        yes\n"
        "nightly      -        -         -        yes\n"
        "odd          unknown  unknown   unknown  unknown\n"
        "never        -        -         -        -\n"
        "deploy       -        approval  -        -\n"
        "\n"
        'lint     "when" in Jenkinsfile:8\n'
        'nightly  "when" in Jenkinsfile:8 and "when" in Jenkinsfile:14\n'
        'odd      "when" in Jenkinsfile:20\n'
        'never    "when" in Jenkinsfile:24\n'
        'deploy   "when" in Jenkinsfile:28\n'
    )


@pytest.mark.usefixtures("foreign")
def test_one_event_of_a_jenkinsfile(pipegen: Pipegen) -> None:
    """A stage whose condition is unknown may run."""
    lines = pipegen("plan", "Jenkinsfile", "--events", "--tag", "v2").out.splitlines()

    assert '  odd      may run: only Jenkins can evaluate "when" in Jenkinsfile:20' in lines
    assert '  lint     does not run: excluded by "when" in Jenkinsfile:8' in lines


@pytest.mark.usefixtures("foreign")
def test_the_order_has_only_jobs_of_the_event(pipegen: Pipegen) -> None:
    """The graph and the plan of a file leave out the others."""
    graph = pipegen("graph", ".gitlab-ci.yml", "--branch", "main", "--changed", "a")
    plan = json.loads(pipegen("plan", "Jenkinsfile", "--tag", "v2", "--format", "json").out)
    nothing = pipegen("plan", ".gitlab-ci.yml", "--event", "merge_request")

    assert graph.out == "1  build: linux\n   build: mac\n2  alert         after build: linux, build: mac\n"
    assert plan["order"]["frames"] == [["build"], ["odd"]]
    assert (nothing.status, nothing.out) == (0, ".gitlab-ci.yml: gitlab, needs\n  no job runs\n")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".gitlab-ci.yml", "a: { script: make, rules: [{ exists: [docs/*.md] }] }\n"),
        (
            "Jenkinsfile",
            JENKINS.partition("    stage('odd')")[0]
            + "    stage('a') {\n      when { expression { return fileExists('docs') } }\n"
            + "      steps { sh 'make' }\n    }\n  }\n}\n",
        ),
    ],
)
def test_conditions_on_files_look_at_the_checkout(empty: Path, name: str, text: str, pipegen: Pipegen) -> None:
    """The job runs once the file exists."""
    (empty / name).write_text(text, encoding="utf-8")
    without = pipegen("plan", name, "--events", "--branch", "main").out
    (empty / "docs").mkdir()
    (empty / "docs/a.md").write_text("a", encoding="utf-8")
    present = pipegen("plan", name, "--events", "--branch", "main").out

    assert re.search("^  a +does not run: excluded by", without, re.MULTILINE)
    assert re.search("^  a +runs$", present, re.MULTILINE)


_EVENTS = (("push", "--branch", "main"), ("push", "--branch", "x"), ("schedule",), ("tag", "--tag", "v1"))


@pytest.mark.parametrize("target", ["gitlab", "jenkins"])
def test_a_generated_file_runs_the_stages_of_its_config(empty: Path, target: str, pipegen: Pipegen) -> None:
    """The stages that events start are the same if only the file is there."""
    (empty / "pipegen.yaml").write_text(CONFIG, encoding="utf-8")
    style = ("--style", "declarative") if target == "jenkins" else ()
    assert pipegen("compile", "-t", target, *style).status == 0
    name = "Jenkinsfile" if target == "jenkins" else ".gitlab-ci.yml"
    expected = [_runs("pipegen.yaml", event, pipegen) for event in _EVENTS]
    (empty / "pipegen.yaml").unlink()

    assert [_runs(name, event, pipegen) for event in _EVENTS] == expected


def _runs(file: str, event: tuple[str, ...], pipegen: Pipegen) -> dict[str, tuple[bool, bool]]:
    """Return whether each stage of *file* runs, and whether it waits for an approval."""
    (answer,) = json.loads(pipegen("plan", file, "--events", "--format", "json", "--event", *event).out)["events"]
    return {stage["stage"]: (stage["runs"], stage.get("approval", False)) for stage in answer["pipelines"][0]["stages"]}


@pytest.mark.parametrize("style", ["declarative", "scripted"])
def test_a_generated_jenkinsfile_has_the_answer_of_its_config(empty: Path, style: str, pipegen: Pipegen) -> None:
    """Names and stages of `finally` are those of the config, with the options in the header."""
    config = CONFIG + "    finally: [page]\n  docs:\n    stages: [{ name: links, script: make }]\n"
    (empty / "pipegen.yaml").write_text(config.replace("[unit, page]]", "[unit]]"), encoding="utf-8")
    assert pipegen("compile", "-t", "jenkins", "--style", style, "--pipeline", "app").status == 0

    for options in (("--events",), ("--events", "--tag", "v1"), ("--events", "--format", "json")):
        of_config = pipegen("plan", "pipegen.yaml", "--pipeline", "app", *options)
        assert pipegen("plan", "Jenkinsfile", *options) == of_config
        assert (of_config.status, "page" in of_config.out) == (0, True)
    plan = json.loads(pipegen("plan", "Jenkinsfile", "--tag", "v2", "--format", "json").out)
    assert plan["order"]["frames"] == [["unit: linux", "unit: mac"]]


def test_the_names_of_several_pipelines_are_those_in_the_file(empty: Path, pipegen: Pipegen) -> None:
    """Each pipeline has its own rows, and the order of an event has the stages of all."""
    config = CONFIG + "  docs:\n    stages: [{ name: links, script: make, when: { branch: main } }]\n"
    (empty / "pipegen.yaml").write_text(config, encoding="utf-8")
    assert pipegen("compile", "-t", "jenkins").status == 0
    plan = json.loads(pipegen("plan", "Jenkinsfile", "--branch", "x", "--format", "json").out)

    assert pipegen("plan", "Jenkinsfile", "--events") == pipegen("plan", "--events")
    assert plan["order"]["frames"] == [["app: unit: linux", "app: unit: mac"]]


def test_a_stale_scripted_jenkinsfile_has_no_events(empty: Path, pipegen: Pipegen) -> None:
    """Its config has another answer by now."""
    (empty / "pipegen.yaml").write_text(CONFIG, encoding="utf-8")
    assert pipegen("compile", "-t", "jenkins", "--style", "scripted").status == 0
    (empty / "pipegen.yaml").write_text(CONFIG.replace("branch: main", "branch: live"), encoding="utf-8")
    result = pipegen("plan", "Jenkinsfile", "--events")

    assert (result.status, result.out) == (1, "")
    assert '"Jenkinsfile" differs from "pipegen.yaml"' in result.err
    assert "PG850" not in result.err


@pytest.mark.parametrize(
    ("config", "message"),
    [(None, '"pipegen.yaml", from which'), ("pipelines: {}", "error[PG")],
    ids=["none", "invalid"],
)
def test_a_scripted_jenkinsfile_without_a_valid_config_has_no_events(
    config: str | None, message: str, empty: Path, pipegen: Pipegen
) -> None:
    """The message is about the config, not about the Groovy that pipegen wrote."""
    (empty / "pipegen.yaml").write_text(CONFIG, encoding="utf-8")
    assert pipegen("compile", "-t", "jenkins", "--style", "scripted").status == 0
    (empty / "pipegen.yaml").unlink()
    if config is not None:
        (empty / "pipegen.yaml").write_text(config, encoding="utf-8")
    result = pipegen("plan", "Jenkinsfile", "--events")

    assert (result.status, result.out) == (1, "")
    assert message in result.err
    assert "PG850" not in result.err


def test_options_in_a_header_that_pipegen_did_not_write_are_ignored(empty: Path, pipegen: Pipegen) -> None:
    """The file is read as any Jenkinsfile."""
    (empty / "pipegen.yaml").write_text(CONFIG, encoding="utf-8")
    assert pipegen("compile", "-t", "jenkins", "--style", "declarative").status == 0
    text = (empty / "Jenkinsfile").read_text(encoding="utf-8")
    (empty / "Jenkinsfile").write_text(text.replace("// Digest", "// Options: --set foo\n// Digest"), encoding="utf-8")

    assert pipegen("plan", "Jenkinsfile", "--events").status == 0


def test_a_foreign_scripted_jenkinsfile_has_no_events(empty: Path, pipegen: Pipegen) -> None:
    """Its conditions are Groovy."""
    (empty / "Jenkinsfile").write_text("node {\n  sh 'make'\n}\n", encoding="utf-8")
    result = pipegen("plan", "Jenkinsfile", "--events")

    assert (result.status, result.out) == (1, "")
    assert "warning[PG850]: which stages run is up to the Groovy code of this scripted Jenkinsfile" in result.err


@pytest.mark.parametrize(
    "text",
    [
        "a: { script: x, extends: .nope }\n",
        "a: { stage: nope, script: x }\n",
        "a: { script: [!reference [.nope, script]] }\n",
        "a: { script: x }\nb: text\n",
    ],
)
def test_a_name_that_no_file_has_is_refused(foreign: Path, text: str, pipegen: Pipegen) -> None:
    """If the pipeline includes files that are not here, they may have it."""
    (foreign / ".gitlab-ci.yml").write_text(text, encoding="utf-8")
    refused = pipegen("plan", ".gitlab-ci.yml", "--events")
    (foreign / ".gitlab-ci.yml").write_text(f"include: [{{ project: a/b, file: c.yml }}]\n{text}", encoding="utf-8")
    included = pipegen("plan", ".gitlab-ci.yml", "--events")

    assert (refused.status, refused.out) == (1, "")
    assert "warning[PG850]" in refused.err
    assert included.status == (1 if "b: text" in text else 0)


@pytest.mark.parametrize("options", [(), ("--format", "json"), ("--event", "api")])
def test_a_file_that_gitlab_refuses_starts_nothing(foreign: Path, options: tuple[str, ...], pipegen: Pipegen) -> None:
    """The reason is a diagnostic, as in an import."""
    text = "a: { script: make, needs: [b] }\nb: { script: make, needs: [a] }\n"
    (foreign / ".gitlab-ci.yml").write_text(text, encoding="utf-8")
    result = pipegen("plan", ".gitlab-ci.yml", "--events", *options)

    assert (result.status, result.out) == (1, "")
    assert "GitLab refuses the pipeline, in which jobs need each other: a -> b -> a" in result.err
