"""Triggered pipelines of other projects."""

from __future__ import annotations

from typing import Any

import pytest
from targets.gitlab.compiled import Compiled, compiled


def triggering(trigger: str, *, build: bool = False, project: str = "group/deploy") -> Compiled:
    """Return two stages in sequence, the first with *trigger*."""
    return compiled(f"""
        pipelines:
          service:
            stages:
              - {{ name: start, {"build: app, " if build else ""}trigger: {{ name: deploy, {trigger} }} }}
              - {{ name: after }}
        targets:
          gitlab: {{ projects: {{ deploy: {project} }} }}
    """)


_CHILD = """
    pipelines:
      service:
        stages:
          - {{ name: build, script: [make], outputs: {{ version: {{ command: cat VERSION }} }} }}
          - {{ name: child, trigger: {{ {0} }} }}
"""


@pytest.mark.parametrize(
    ("trigger", "expected"),
    [
        ("include: ci/a.yml", {"include": [{"local": "ci/a.yml"}]}),
        ("include: ci/a.yml, wait: true", {"include": [{"local": "ci/a.yml"}], "strategy": "depend"}),
        ("include: [a.yml, b.yaml]", {"include": [{"local": "a.yml"}, {"local": "b.yaml"}]}),
        (
            "include: [a.yml], forward: true",
            {"include": [{"local": "a.yml"}], "forward": {"pipeline_variables": True}},
        ),
    ],
)
def test_files_of_the_repository_run_as_a_child_pipeline(trigger: str, expected: dict[str, Any]) -> None:
    """No project is needed, and no variables of the file reach it."""
    output = compiled(_CHILD.format(trigger))

    assert output.data["child"]["trigger"] == expected
    assert output.data["child"]["inherit"] == {"variables": False}
    assert output.codes() == []


def test_a_stage_can_generate_the_file_of_a_child_pipeline() -> None:
    """The job needs the one whose artifact it is: https://docs.gitlab.com/ci/yaml/#triggerinclude."""
    result = compiled("""
        pipelines:
          inner:
            stages:
              - { name: generate, script: [./generate], artifacts: [ci/] }
              - { name: other, script: [make], artifacts: [app] }
              - name: child
                trigger: { include: [base.yml, { artifact: ci/all.yml, stage: generate }], wait: true }
            execution: [[[generate, other], child]]
          outer:
            stages: [{ name: call, pipeline: inner }]
    """)

    jobs = result.data

    assert jobs["inner: child"]["trigger"] == {
        "include": [{"local": "base.yml"}, {"artifact": "ci/all.yml", "job": "inner: generate"}],
        "strategy": "depend",
    }
    assert [need["job"] for need in jobs["inner: child"]["needs"]] == ["inner: generate", "inner: other"]
    assert jobs["outer: call / child"]["trigger"]["include"][1]["job"] == "outer: call / generate"


def test_a_stage_that_only_starts_a_generated_file_reads_no_files() -> None:
    """The file takes the place of an earlier one, which scripts of later stages read from a tar."""
    result = compiled("""
        pipelines:
          ci:
            stages:
              - { name: first, script: [./generate], artifacts: [ci.yml] }
              - { name: second, script: [./generate], artifacts: [ci.yml] }
              - { name: child, trigger: { include: [{ artifact: ci.yml, stage: second }] } }
              - { name: after, script: [cat ci.yml] }
            execution: [[first, second, [child, after]]]
    """)

    assert ".pipegen/files/second.tar" in result.data["second"]["artifacts"]["paths"]
    assert result.data["child"]["trigger"]["include"] == [{"artifact": "ci.yml", "job": "second"}]
    assert "script" not in result.data["child"]
    assert any("tar -xf .pipegen/files/second.tar" in command for command in result.data["after"]["script"])


def test_a_helper_can_start_the_file_of_a_job_with_another_name() -> None:
    """GitLab has a keyword `image`, so that the job of the stage gets another name."""
    result = compiled("""
        pipelines:
          service:
            stages:
              - { name: image, script: [x], artifacts: [c.yml] }
              - { name: child, script: [x], trigger: { include: [{ artifact: c.yml, stage: image }] } }
    """)
    (trigger,) = (job["trigger"] for job in result.data.values() if isinstance(job, dict) and "trigger" in job)

    assert trigger["include"] == [{"artifact": "c.yml", "job": "stage image"}]


def test_a_child_pipeline_gets_values_that_are_known_from_the_start() -> None:
    """GitLab starts it, so a value that a stage computes is refused."""
    parameters = "parameters: { A: '1', C: '${setup.commit}' }"

    assert compiled(_CHILD.format(f"include: a.yml, {parameters}")).data["child"]["variables"] == {
        "A": "1",
        "C": "$CI_COMMIT_SHA",
    }
    assert [
        code for code, _ in compiled(_CHILD.format("include: a.yml, parameters: {V: '${build.version}'}")).codes()
    ] == ["PG694"]


def test_a_call_of_the_api_forwards_no_variables() -> None:
    """It starts pipelines with values that stages compute."""
    output = triggering("forward: true, parameters: { I: '${.imageID}' }", build=True)

    assert [code for code, _ in output.codes()] == ["PG623"]


def test_variables_of_a_run_reach_another_project_if_they_are_forwarded() -> None:
    """The key applies to projects, too."""
    assert triggering("forward: true").data["start"]["trigger"] == {
        "project": "group/deploy",
        "forward": {"pipeline_variables": True},
    }


def variables(output: Compiled) -> dict[str, Any]:
    """Return the parameters that the job `start` passes."""
    data: dict[str, Any] = output.data["start"]["variables"]
    return data


def test_a_stage_that_only_triggers_is_a_bridge() -> None:
    """GitLab itself starts the pipeline and waits for it."""
    output = triggering("wait: true, parameters: { VERSION: '1' }")

    assert output.data["start"] == {
        "stage": "start",
        "inherit": {"variables": False},
        "variables": {"VERSION": "1"},
        "trigger": {"project": "group/deploy", "strategy": "depend"},
    }
    assert output.needs("after") == [("start", False)]


def test_a_trigger_without_wait_does_not_wait() -> None:
    """It fails only if the pipeline cannot be started."""
    output = triggering("wait: false, propagate: false")

    assert output.data["start"]["trigger"] == {"project": "group/deploy"}
    assert "allow_failure" not in output.data["start"]


def test_a_failure_that_does_not_propagate_is_allowed() -> None:
    """`propagate: false` waits, and continues after a failure."""
    output = triggering("wait: true, propagate: false")

    assert output.data["start"]["allow_failure"] is True


def test_a_branch_of_the_project_can_be_set() -> None:
    """The setting is a project, or a project and a branch."""
    output = triggering("wait: false", project="{ project: group/deploy, branch: next }")

    assert output.data["start"]["trigger"] == {"project": "group/deploy", "branch": "next"}


def test_gitlab_expands_setup_values_in_parameters() -> None:
    """Values that are pipeline variables require no job."""
    output = triggering("parameters: { REF: 'on-${setup.branch}x', ANY: '${setup.params.OTHER}' }")

    assert variables(output) == {"REF": "on-${CI_COMMIT_BRANCH}x", "ANY": "$OTHER"}


def test_constant_parameters_are_passed_literally() -> None:
    """GitLab expands nothing in them."""
    output = triggering("parameters: { PRICE: '$5 %PATH%' }")

    assert variables(output) == {"PRICE": {"value": "$5 %PATH%", "expand": False}}


def test_a_stage_with_other_steps_triggers_in_a_helper() -> None:
    """Its successors wait for that bridge."""
    output = triggering("parameters: { VERSION: '1' }", build=True)

    assert output.needs("trigger deploy") == [("start", False)]
    assert variables_of_helper(output) == {"PIPEGEN_HELPER": "1", "VERSION": "1"}
    assert output.needs("after") == [("trigger deploy", False)]


def test_a_helper_does_not_forward_its_variables() -> None:
    """By default, GitLab 18 rejects pipeline variables from people who may not set them."""
    output = triggering("wait: true", build=True)

    assert output.data["trigger deploy"]["variables"] == {"PIPEGEN_HELPER": "1"}
    assert output.data["trigger deploy"]["trigger"] == {
        "project": "group/deploy",
        "strategy": "depend",
        "forward": {"yaml_variables": False},
    }


def variables_of_helper(output: Compiled) -> dict[str, Any]:
    """Return the parameters that the helper passes."""
    data: dict[str, Any] = output.data["trigger deploy"]["variables"]
    return data


def test_run_time_parameters_are_passed_by_an_api_call() -> None:
    """Values are read from files and never interpolated into a command."""
    output = triggering("wait: false, parameters: { AT: '${setup.timestamp}', SAY: \"it's $x\" }")
    (script,) = output.data["trigger deploy"]["script"]

    assert output.needs("trigger deploy") == [("start", True)]
    assert script.splitlines()[1:] == [
        "curl --silent --show-error --fail-with-body --request POST \\",
        '  --form-string "token=$CI_JOB_TOKEN" \\',
        '  --form-string "ref=$CI_DEFAULT_BRANCH" \\',
        '  --form "variables[AT]=<.pipegen/trigger/start/0" \\',
        "  --form-string 'variables[SAY]=it'\\''s $x' \\",
        '  "$CI_API_V4_URL/projects/group%2Fdeploy/trigger/pipeline"',
    ]


@pytest.mark.parametrize(
    "parameters",
    [
        "REF: '${setup.params.REF}'",
        "CI_COMMIT_SHA: '${setup.commit}'",
        "FIRST: '${setup.params.SECOND}', SECOND: '${setup.params.FIRST}'",
        "CI_COMMIT_BRANCH: main, FROM: '${setup.branch}'",
    ],
)
def test_parameters_do_not_refer_to_each_other(parameters: str) -> None:
    """A parameter whose value reads a variable with a parameter's name is passed by an API call.

    https://docs.gitlab.com/ci/variables/#cicd-variable-precedence: a bridge's own variables override predefined
    ones. GitLab's seeding rejects a pipeline with `circular variable reference detected`.
    """
    output = triggering(f"wait: true, parameters: {{ {parameters} }}")

    assert "trigger" not in output.data["start"]
    assert "curl" in output.data["trigger deploy"]["script"][0]
    assert output.codes() == [("PG622", "deploy")]


def test_values_of_an_api_call_are_not_in_a_build_context() -> None:
    """They are passed on with the files of their stage, and removed before an image is built."""
    output = compiled("""
        pipelines:
          service:
            stages:
              - name: start
                build: app
                run: true
                copy: [{ from: '${.container}', source: /a, destination: out }]
                trigger: { name: deploy, wait: false, parameters: { AT: '${setup.timestamp}' } }
              - { name: after, build: app }
        targets: { gitlab: { projects: { deploy: group/deploy } } }
    """)

    assert output.needs("after") == [("start", True), ("trigger deploy", False)]
    assert output.data["after"]["script"][0].startswith("rm -rf .pipegen/trigger ")


def test_waiting_for_an_api_call_is_reported() -> None:
    """The warning is at the trigger."""
    output = triggering("wait: true, parameters: { AT: '${setup.timestamp}' }")

    assert output.codes() == [("PG622", "deploy")]


def test_a_trigger_without_a_project_is_omitted() -> None:
    """The stage stays; the warning is at the trigger, and the header mentions it."""
    output = compiled("""
        pipelines: { service: { stages: [{ name: start, trigger: { name: deploy } }, { name: after }] } }
    """)

    assert output.codes() == [("PG621", "deploy")]
    assert output.data["start"]["script"] == ["echo 'nothing to do in stage start'"]
    assert '# Left out: trigger "deploy" of stage "start"; no project is set for it.\n' in output.text


def test_the_header_names_each_stage_whose_trigger_is_omitted_once() -> None:
    """With its pipeline if there are several, as in the names of jobs; a matrix stage is one stage."""
    output = compiled("""
        pipelines:
          a: { stages: [{ name: start, trigger: { name: deploy } }] }
          b: { stages: [{ name: start, matrix: { to: [x, y] }, trigger: { name: deploy } }] }
    """)

    assert [line for line in output.text.split("\n") if "Left out" in line] == [
        '# Left out: trigger "deploy" of stage "a: start"; no project is set for it.',
        '# Left out: trigger "deploy" of stage "b: start"; no project is set for it.',
    ]


def test_a_parameter_that_is_not_a_variable_name_is_an_error() -> None:
    """GitLab passes parameters as variables."""
    output = triggering("parameters: { not-a-word: x }")

    assert output.codes() == [("PG623", "x")]


def test_a_delayed_trigger_follows_a_delayed_helper() -> None:
    """https://docs.gitlab.com/ci/pipelines/downstream_pipelines/: a job with `trigger` cannot have `start_in`."""
    output = compiled("""
        targets: {gitlab: {projects: {go: g/p}}}
        pipelines:
          p:
            stages:
              - {name: a, script: [x]}
              - {name: b, trigger: {name: go}, approve: {delay: 90m}, when: {branch: main}}
              - {name: c, script: [x]}
    """)
    delay, bridge = output.data["delay of b"], output.data["b"]
    is_main = '$CI_COMMIT_BRANCH == "main"'

    assert delay["rules"] == [{"if": is_main, "when": "delayed", "start_in": "1 hour 30 minutes"}]
    assert (delay["script"], output.needs("delay of b")) == (["true"], [("a", False)])
    assert (bridge["rules"], output.needs("b")) == ([{"if": is_main}], [("delay of b", False)])
    assert output.needs("c") == [("b", False), ("a", False)]


def test_bridges_have_no_delay_or_retry() -> None:
    """GitLab would reject the file, with any other keys of the stage."""
    output = compiled("""
        targets: {gitlab: {projects: {go: g/p}}}
        pipelines:
          p:
            stages:
              - {name: a, trigger: {name: go}, approve: {delay: 5m}}
              - {name: b, trigger: {name: go}, script: [x], approve: {delay: 5m}}
    """)
    bridges = [job for job in output.data.values() if isinstance(job, dict) and "trigger" in job]

    assert len(bridges) == 2
    assert not any(key in job for job in bridges for key in ("when", "start_in", "script", "retry", "timeout", "tags"))
