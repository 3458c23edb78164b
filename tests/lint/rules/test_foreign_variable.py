"""Variables of one engine in what is compiled for another."""

from __future__ import annotations

import json

import pytest
from lint.findings import asked, stages, told

from pipegen.lint.predefined import MARKERS, PREDEFINED, VALUES
from pipegen.lint.rules import foreign_variable

JENKINS = "targets: {jenkins: {}}\n"
GITLAB = "targets: {gitlab: {}}\n"


def read(script: str, head: str = JENKINS, more: str = "") -> list[str]:
    """Return what is underlined in a stage with *script*."""
    stage = f"{{name: a, script: {json.dumps(script)}{more}}}"
    return [text for _, text in told(foreign_variable.check, stages(stage, head=head))]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("echo $CI_COMMIT_SHA", ["$CI_COMMIT_SHA"]),
        ('echo "v-${CI_COMMIT_SHA}-x"', ["${CI_COMMIT_SHA}"]),
        ("echo ${CI_PROJECT_DIR%/*} ${#CI_JOB_ID}", ["${CI_PROJECT_DIR%/*}", "${#CI_JOB_ID}"]),
        ("cat <<E\n$CI_JOB_ID\nE", ["$CI_JOB_ID"]),
        ("x=$(git show $CI_COMMIT_SHA)", ["$CI_COMMIT_SHA"]),
        ('[ "$CI_COMMIT_BRANCH" = main ] && ./release', ["$CI_COMMIT_BRANCH"]),
        ("set -u\necho $CI_JOB_ID", ["$CI_JOB_ID"]),
        ('echo "CI_JOB_ID=$CI_JOB_ID" > build.env', ["$CI_JOB_ID"]),
        ("docker run -e A=b x $CI_JOB_ID", ["$CI_JOB_ID"]),
        ('[ -n "$CI" ] && echo $CI_JOB_ID', ["$CI_JOB_ID"]),
    ],
)
def test_a_variable_of_the_other_engine_is_empty(script: str, expected: list[str]) -> None:
    """Wherever the shell expands it, and each time."""
    assert read(script) == expected


@pytest.mark.parametrize(
    "script",
    [
        # A default, or an alternative.
        "echo ${CI_COMMIT_SHA:-none} ${CI_COMMIT_SHA-} ${CI_JOB_ID:+x} ${CI_JOB_ID:?only on GitLab}",
        "echo ${BRANCH_NAME:-$CI_COMMIT_BRANCH}",
        ": ${CI_COMMIT_SHA:=x}\necho $CI_COMMIT_SHA",
        # The script asks which engine it runs on.
        '[ -n "$GITLAB_CI" ] && echo $CI_JOB_ID',
        'if [ -z "${CI_JOB_ID:-}" ]; then exit; fi\necho $CI_JOB_ID',
        'if test "$CI_JOB_ID"; then echo $CI_JOB_ID; fi',
        'if [[ "$CI_JOB_ID" != "" ]]; then echo $CI_JOB_ID; fi',
        'if [ "$GITLAB_CI" = true ]; then echo $CI_JOB_ID; fi',
        'if [ -n "$JENKINS_URL" ]; then :; else echo $CI_JOB_ID; fi',
        'case "$GITLAB_CI" in true) echo $CI_JOB_ID ;; esac',
        # The script sets it, or takes variables from elsewhere.
        "CI_COMMIT_SHA=$(git rev-parse HEAD)\necho $CI_COMMIT_SHA",
        "export A=b CI_COMMIT_SHA=x\necho $CI_COMMIT_SHA",
        "git rev-parse HEAD | while read -r CI_COMMIT_SHA; do echo $CI_COMMIT_SHA; done",
        "for CI_NODE_INDEX in 1 2; do echo $CI_NODE_INDEX; done",
        ". ./build.env\necho $CI_COMMIT_SHA",
        "eval $(./variables)\necho $CI_COMMIT_SHA",
        # No variable of the engine, or none that is expanded.
        "echo $CI $CI_COMMIT $MY_CI_JOB_ID $BUILD_NUMBER",
        "echo '$CI_COMMIT_SHA' \\$CI_COMMIT_SHA",
        "cat <<'E'\n$CI_COMMIT_SHA\nE",
        "echo 1 # $CI_COMMIT_SHA",
    ],
)
def test_a_script_that_knows_is_left_alone(script: str) -> None:
    """It has a default, asks, or sets the variable itself."""
    assert read(script) == []


@pytest.mark.parametrize(
    "more",
    [
        ", env: {CI_JOB_ID: x}",
        ", secrets: {CI_JOB_ID: id}",
        ", raw: {jenkins: {options: [\"withEnv(['CI_JOB_ID=1'])\"]}}",
        ", when: {env: {GITLAB_CI: true}}",
    ],
)
def test_what_the_config_sets_is_there(more: str) -> None:
    """By `env`, `secrets`, or keys for the engine; nor does a stage matter that never runs there."""
    assert read("echo $CI_JOB_ID", more=more) == []


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (GITLAB, ["$JENKINS_URL"]),
        (JENKINS, ["$CI_JOB_ID"]),
        ("targets: {gitlab: {}, jenkins: {}}\n", ["$CI_JOB_ID", "$JENKINS_URL"]),
        ("targets: {jenkins: {wrap: [\"withEnv(['CI_JOB_ID=1'])\"]}}\n", []),
        ("", []),
    ],
)
def test_only_what_is_compiled_matters(head: str, expected: list[str]) -> None:
    """For each engine that the config names."""
    assert read("echo $CI_JOB_ID $JENKINS_URL", head=head) == expected


def test_an_input_is_a_variable_of_its_name() -> None:
    """Engines set it for every script."""
    assert read("echo $CHAT_INPUT") == ["$CHAT_INPUT"]
    assert read("echo $CHAT_INPUT", head="inputs: {CHAT_INPUT: x}\n" + JENKINS) == []


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ("{env: {CI_PIPELINE_SOURCE: push}}", ["push"]),
        ("{branch: main, env: {CI_PIPELINE_SOURCE: push}}", ["push"]),
        ("{any: [{env: {CI_PIPELINE_SOURCE: push}}, {branch: main}]}", []),
        ("{not: {env: {CI_PIPELINE_SOURCE: push}}}", []),
        ("{env: {GITLAB_CI: true, CI_PIPELINE_SOURCE: push}}", []),
        ("{env: {BUILD_NUMBER: 1}}", []),
    ],
)
def test_a_condition_that_never_holds_there(when: str, expected: list[str]) -> None:
    """Unless it asks for the engine itself."""
    assert read("ls", more=f", when: {when}") == expected


def test_a_script_that_stages_share_is_right_where_one_of_them_is() -> None:
    """What a template says holds for the stages that set the variable."""
    head = JENKINS + "templates: {t: {script: echo $CI_JOB_ID}}\n"

    assert told(foreign_variable.check, stages("{name: a, extends: t}", head=head)) == [(2, "$CI_JOB_ID")]
    assert (
        told(
            foreign_variable.check,
            stages("{name: a, extends: t}", "{name: b, extends: t, env: {CI_JOB_ID: x}}", head=head),
        )
        == []
    )


def test_commands_of_outputs_and_values_of_env_count() -> None:
    """And what comes after the script."""
    more = ", env: {A: 'x-${CI_JOB_ID}'}, outputs: {v: {command: echo $CI_JOB_URL}}, after: [echo $CI_JOB_STATUS]"

    assert sorted(read("ls", more=more)) == ["$CI_JOB_STATUS", "$CI_JOB_URL", "${CI_JOB_ID}"]


@pytest.mark.parametrize(
    ("script", "hint"),
    [
        ("echo $CI_COMMIT_SHA", 'write "${setup.commit}", which every engine provides'),
        ("echo $CI_PROJECT_DIR", 'a script starts in the checkout: write a relative path, or "$PWD"'),
        ("echo $CI_JOB_TOKEN", 'set it in "env", or give it a default in the script: "${CI_JOB_TOKEN:-…}"'),
    ],
)
def test_the_hint_names_the_value_that_is_the_same(script: str, hint: str) -> None:
    """Where there is one."""
    diagnostics = asked(foreign_variable.check, stages(f"{{name: a, script: {script}}}", head=JENKINS))

    assert [one.hint for one in diagnostics] == [hint]


def test_the_tables_hold_what_the_engines_document() -> None:
    """Samples of GitLab's reference of predefined variables and of the page env-vars.html of a controller."""
    gitlab = {"CI_COMMIT_SHA", "CI_JOB_TOKEN", "CI_REGISTRY", "CI_REGISTRY_IMAGE", "GITLAB_CI", "CI_MERGE_REQUEST_IID"}
    jenkins = {"BUILD_NUMBER", "JENKINS_URL", "BRANCH_NAME", "WORKSPACE", "WORKSPACE_TMP", "CHANGE_ID", "GIT_COMMIT"}

    assert gitlab <= PREDEFINED["gitlab"]
    assert jenkins <= PREDEFINED["jenkins"]
    assert not PREDEFINED["gitlab"] & PREDEFINED["jenkins"]
    assert {*VALUES, *MARKERS} <= PREDEFINED["gitlab"] | PREDEFINED["jenkins"]
    assert "CI" not in PREDEFINED["gitlab"] | PREDEFINED["jenkins"]
