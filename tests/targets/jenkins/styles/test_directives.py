"""Directives of declarative stages in place of steps."""

from __future__ import annotations

import pytest
from engines.sized import built

_CONFIG = """\
pipelines:
  p:
    stages:
      - {{ name: first, script: [make] }}
      - {{ name: a, script: [./a], {} }}
      - {{ name: b, script: [./b] }}
    execution: {}
"""
_ROW = "[[first, a]]"
_FORK = "[[first, [a, b]]]"


def stage(keys: str, execution: str = _ROW) -> str:
    """Return the unindented lines of the stages after the first."""
    text = built(_CONFIG.format(keys, execution), "declarative").text
    lines = text[text.index("stages {") :].splitlines()
    return "\n".join(line.strip() for line in lines)


def test_a_lock_and_retries_are_options_around_the_agent() -> None:
    """They are in the order in which Jenkins enters them."""
    text = stage("lock: door, retry: 1, when: { branch: main }")

    assert "options {\nlock(resource: 'door')\nretry(2)\n}\nagent any\nsteps {\ncheckoutCommit()\n" in text


def test_an_approval_precedes_the_lock_and_the_agent() -> None:
    """The stage is inside a stage with the approval, which has the condition."""
    text = stage("approve: Go?, lock: door, when: { tag: v* }")

    assert "stage('approve a') {\nwhen {\nbeforeInput true\ntag 'v*'\n}\ninput {\nmessage 'Go?'\n}\nstages {\n" in text
    assert "stage('a') {\noptions {\nlock(resource: 'door')\n}\nagent any\n" in text
    assert text.count("when {") == 1


def test_an_approval_in_a_parallel_is_not_nested() -> None:
    """Jenkins could not resume nested stages, and an approval may take long."""
    text = stage("approve: Go?, lock: door, when: { branch: main }", _FORK)

    assert "stage('approve a')" not in text
    assert "steps {\ninput message: 'Go?'\nlock(resource: 'door') {\nnode('') {\n" in text


def test_the_guard_precedes_the_lock_and_the_agent() -> None:
    """A change from a fork gets neither."""
    text = stage("lock: door, secrets: { A: a }")

    assert "steps {\nnoFork()\nlock(resource: 'door') {\nnode('') {\n" in text
    assert "withCredentials" in text


def test_single_value_credentials_are_in_the_environment_directive() -> None:
    """A user name and password would be three variables with other names."""
    text = stage("secrets: { A: a, F: { file: f }, P: { password: p } }")

    assert "environment {\nA = credentials('a')\nF = credentials('f')\n}\nsteps {\n" in text
    assert "withCredentials([usernamePassword(credentialsId: 'p'" in text


def test_variables_of_all_stages_are_in_the_environment_of_the_pipeline() -> None:
    """The stage of a webhook gets them, too, because its script is that of pipegen. It has no checkout."""
    stages = ", ".join(f"{{ name: {name}, script: [x], env: {{ LEVEL: full }} }}" for name in "ab")
    text = built(f"pipelines: {{ p: {{ notify: {{ webhook: {{ url: chat }} }}, stages: [{stages}] }} }}", "auto").text

    assert text.count("checkoutCommit()\n") == 2
    assert text.count("LEVEL = 'full'") == 1
    assert "agent none\n" in text.partition("LEVEL = 'full'")[0]
    assert "stage('a')" in text.partition("LEVEL = 'full'")[2]


def test_reports_and_artifacts_are_in_post() -> None:
    """Reports always, artifacts of failures only after a failure."""
    text = stage("reports: { junit: x.xml }, artifacts: { paths: [trace/], when: failure }")

    assert "post {\nalways {\njunit testResults: 'x.xml'" in text
    assert "unsuccessful {\narchiveArtifacts artifacts: 'trace/'" in text


def test_reports_that_jenkins_does_not_display_are_archived_after_any_result() -> None:
    """The settings of artifacts do not apply to them."""
    text = stage(
        "reports: { sast: [a.json, 'b-${setup.tag}.json'], junit: x.xml, dast: a.json },"
        " artifacts: { paths: [trace/], exclude: ['*.json'], when: failure }"
    )
    patterns = "\"a.json, b-${(env.TAG_NAME ?: '').replace(',', '?')}.json\""

    assert (
        f"skipMarkingBuildUnstable: true\narchiveArtifacts artifacts: {patterns}, allowEmptyArchive: true\n}}" in text
    )
    assert "unsuccessful {\narchiveArtifacts artifacts: 'trace/'" in text


def test_reports_are_not_archived_if_nobody_can_download_files() -> None:
    """An archive has no permissions of its own."""
    text = stage("reports: { secret_detection: x.json }, artifacts: { paths: [dist/], keep: false }")

    assert "archiveArtifacts" not in text
    assert "try {" not in text


def test_steps_after_a_failure_follow_an_image_that_cannot_be_pulled() -> None:
    """Jenkins ends a stage whose `agent { docker }` cannot start without its `post`."""
    text = stage("image: gcc:14, steps: { jenkins: { failure: [tell] } }")

    assert "docker.image('gcc:14').inside(" in text
    assert "agent any\n" in text
    assert "post {\nfailure {\ntell()\n" in text


def test_tools_are_a_directive() -> None:
    """Their names are texts of Groovy."""
    text = stage("tools: { jdk: '21', node: \"Node 'LTS'\" }")

    assert "agent any\ntools {\njdk '21'\nnodejs 'Node \\'LTS\\''\n}\nsteps {\ncheckoutCommit()\nsh './a'\n" in text
    assert "withTools" not in text


@pytest.mark.parametrize(
    "keys",
    [
        pytest.param("tools: { terraform: '1.9' }", id="a type whose variables are not known"),
        pytest.param("tools: { jdk: '21' }, allow_failure: true", id="a failure that is allowed"),
        pytest.param("tools: { jdk: '21' }, lock: door, secrets: { A: a }", id="a check before the agent"),
        pytest.param("tools: { jdk: '21' }, notify: { email: { to: [a@example.org] } }", id="a mail"),
        pytest.param("tools: { jdk: '21' }, steps: { jenkins: { failure: [tell] } }", id="a step after a failure"),
    ],
)
def test_other_tools_are_around_the_script(keys: str) -> None:
    """Jenkins ends a stage whose tools cannot be installed without its steps and its `post`."""
    text = stage(keys)

    assert "tools {" not in text
    assert "withTools([[" in text


@pytest.mark.parametrize(
    ("workspace", "last", "expected"),
    [
        pytest.param("isolated", "tools: { jdk: '21' }", ["    tools {"], id="the same"),
        pytest.param("isolated", "approve: Go?, tools: { jdk: '21' }", ["    tools {"], id="inside a stage that asks"),
        pytest.param("isolated", "allow_failure: true, tools: { jdk: '17' }", ["    tools {"], id="agent in the steps"),
        pytest.param("shared", "tools: { jdk: '21' }", ["    tools {"], id="the same on the agent of the pipeline"),
        pytest.param("isolated", "tools: { jdk: '17' }", ["            tools {"] * 3, id="another"),
        pytest.param("isolated", "image: gcc:14", ["            tools {"] * 2, id="none in an image"),
        pytest.param("isolated", "tools: { terraform: '1' }", ["            tools {"] * 2, id="tools around a script"),
        pytest.param("shared", "timeout: 5m", ["            tools {"] * 2, id="none on the agent of the pipeline"),
    ],
)
def test_tools_of_all_stages_are_those_of_the_pipeline(workspace: str, last: str, expected: list[str]) -> None:
    """Jenkins installs them on the agent of each stage, and not for stages without one."""
    text = built(
        f"""
        pipelines:
          p:
            workspace: {workspace}
            stages:
              - {{ name: build, script: [make], tools: {{ jdk: '21' }} }}
              - {{ name: lint, script: [make lint], tools: {{ jdk: '21' }} }}
              - {{ name: test, script: [make test], {last} }}
            execution: [[build, lint, test]]
        """,
        "declarative",
    ).text

    assert [line for line in text.splitlines() if line.endswith(" tools {")] == expected


def test_tools_of_a_shared_workspace_are_not_those_of_its_finally_stages() -> None:
    """The tools of a pipeline with an agent are also on the PATH of `post`."""
    config = _CONFIG.replace("    stages:", "    workspace: shared\n    stages:", 1)
    text = built(config.format("tools: { jdk: '21' }", _ROW), "declarative").text

    assert "\n            tools {\n" in text


def test_tools_are_around_the_script_if_only_a_group_has_an_agent() -> None:
    """Jenkins looks only at the agents of the stage and of the pipeline."""
    config = _CONFIG.replace("    stages:", "    workspace: shared\n    concurrency: {}\n    stages:", 1)
    keys = "tools: { jdk: '21' }"
    texts = [
        built(config.replace("    concurrency: {}\n", concurrency).format(keys, _ROW), "declarative").text
        for concurrency in ("", "    concurrency: production\n")
    ]

    assert ["\n            tools {\n" in text for text in texts] == [True, False]
    assert ["withTools" in text for text in texts] == [False, True]
