"""Variables of one engine in a config that is compiled for another."""

from __future__ import annotations

import json

import pytest
from lint.findings import diagnostics_of, findings, stages

from pipegen.lint.predefined import MARKERS, PREDEFINED, VALUES
from pipegen.lint.rules import foreign_variable

JENKINS = "targets: {jenkins: {}}\n"
GITLAB = "targets: {gitlab: {}}\n"


def read(script: str, head: str = JENKINS, more: str = "") -> list[str]:
    """Return the underlined text in a stage with *script*."""
    stage = f"{{name: a, script: {json.dumps(script)}{more}}}"
    return [text for _, text in findings(foreign_variable.check, stages(stage, head=head))]


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
def test_a_variable_of_another_engine_is_reported(script: str, expected: list[str]) -> None:
    """Each expansion by the shell is reported."""
    assert read(script) == expected


@pytest.mark.parametrize(
    "script",
    [
        # A default, or an alternative.
        "echo ${CI_COMMIT_SHA:-none} ${CI_COMMIT_SHA-} ${CI_JOB_ID:+x} ${CI_JOB_ID:?only on GitLab}",
        "echo ${BRANCH_NAME:-$CI_COMMIT_BRANCH}",
        ": ${CI_COMMIT_SHA:=x}\necho $CI_COMMIT_SHA",
        # The script checks which engine runs it.
        '[ -n "$GITLAB_CI" ] && echo $CI_JOB_ID',
        'if [ -z "${CI_JOB_ID:-}" ]; then exit; fi\necho $CI_JOB_ID',
        'if test "$CI_JOB_ID"; then echo $CI_JOB_ID; fi',
        'if [[ "$CI_JOB_ID" != "" ]]; then echo $CI_JOB_ID; fi',
        'if [ "$GITLAB_CI" = true ]; then echo $CI_JOB_ID; fi',
        'if [ -n "$JENKINS_URL" ]; then :; else echo $CI_JOB_ID; fi',
        'case "$GITLAB_CI" in true) echo $CI_JOB_ID ;; esac',
        # The script sets the variable, or reads variables from another source.
        "CI_COMMIT_SHA=$(git rev-parse HEAD)\necho $CI_COMMIT_SHA",
        "export A=b CI_COMMIT_SHA=x\necho $CI_COMMIT_SHA",
        "git rev-parse HEAD | while read -r CI_COMMIT_SHA; do echo $CI_COMMIT_SHA; done",
        "for CI_NODE_INDEX in 1 2; do echo $CI_NODE_INDEX; done",
        ". ./build.env\necho $CI_COMMIT_SHA",
        "eval $(./variables)\necho $CI_COMMIT_SHA",
        # The variable is not one of the engine, or is not expanded.
        "echo $CI $CI_COMMIT $MY_CI_JOB_ID $BUILD_NUMBER",
        "echo '$CI_COMMIT_SHA' \\$CI_COMMIT_SHA",
        "cat <<'E'\n$CI_COMMIT_SHA\nE",
        "echo 1 # $CI_COMMIT_SHA",
    ],
)
def test_a_script_that_handles_the_variable_is_not_reported(script: str) -> None:
    """It has a default, checks for the engine, or sets the variable itself."""
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
def test_a_variable_that_the_config_sets_is_not_reported(more: str) -> None:
    """It is in `env`, `secrets` or raw keys; a stage that never runs on the engine is not reported either."""
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
def test_only_targets_of_the_config_are_considered(head: str, expected: list[str]) -> None:
    """Each of them is considered."""
    assert read("echo $CI_JOB_ID $JENKINS_URL", head=head) == expected


def test_an_input_with_the_name_is_not_reported() -> None:
    """Engines set inputs as variables of every script."""
    assert read("echo $CHAT_INPUT") == ["$CHAT_INPUT"]
    assert read("echo $CHAT_INPUT", head="inputs: {CHAT_INPUT: x}\n" + JENKINS) == []


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ("{env: {CI_PIPELINE_SOURCE: push}}", ["push"]),
        ("{branch: main, env: {CI_PIPELINE_SOURCE: push}}", ["push"]),
        ("{any: [{env: {CI_PIPELINE_SOURCE: push}}, {branch: main}]}", []),
        ("{not: {env: {CI_PIPELINE_SOURCE: push}}}", []),
        ("{equal: [branch, env.CI_DEFAULT_BRANCH]}", ["[branch, env.CI_DEFAULT_BRANCH]"]),
        ("{not: {equal: [branch, env.CI_DEFAULT_BRANCH]}}", []),
        ("{env: {GITLAB_CI: true, CI_PIPELINE_SOURCE: push}}", []),
        ("{env: {BUILD_NUMBER: 1}}", []),
    ],
)
def test_a_condition_on_a_foreign_variable_is_reported(when: str, expected: list[str]) -> None:
    """It is not reported if it also checks for the engine."""
    assert read("ls", more=f", when: {when}") == expected


def test_a_condition_with_many_variables_is_decided_without_the_foreign_one() -> None:
    """Their values have more combinations than can be tried."""
    own = ", ".join(f"A{number}: x" for number in range(12))

    assert read("x", more=f", when: {{ env: {{ {own}, CI_COMMIT_TITLE: y }} }}") == ["y"]


def test_a_template_is_reported_only_if_all_its_stages_are() -> None:
    """One of its stages may set the variable."""
    head = JENKINS + "templates: {t: {script: echo $CI_JOB_ID}}\n"

    assert findings(foreign_variable.check, stages("{name: a, extends: t}", head=head)) == [(2, "$CI_JOB_ID")]
    assert (
        findings(
            foreign_variable.check,
            stages("{name: a, extends: t}", "{name: b, extends: t, env: {CI_JOB_ID: x}}", head=head),
        )
        == []
    )


def test_outputs_env_and_after_are_checked() -> None:
    """Commands of outputs, values of `env` and commands after the script are all shell text."""
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
def test_the_hint_names_the_portable_value(script: str, hint: str) -> None:
    """Without one, the hint suggests `env` or a default."""
    diagnostics = diagnostics_of(foreign_variable.check, stages(f"{{name: a, script: {script}}}", head=JENKINS))

    assert [diagnostic.hint for diagnostic in diagnostics] == [hint]


def test_the_tables_have_documented_variables() -> None:
    """They are from GitLab's reference of predefined variables and from env-vars.html of a Jenkins controller."""
    gitlab = {"CI_COMMIT_SHA", "CI_JOB_TOKEN", "CI_REGISTRY", "CI_REGISTRY_IMAGE", "GITLAB_CI", "CI_MERGE_REQUEST_IID"}
    jenkins = {"BUILD_NUMBER", "JENKINS_URL", "BRANCH_NAME", "WORKSPACE", "WORKSPACE_TMP", "CHANGE_ID", "GIT_COMMIT"}

    assert gitlab <= PREDEFINED["gitlab"]
    assert jenkins <= PREDEFINED["jenkins"]
    assert not PREDEFINED["gitlab"] & PREDEFINED["jenkins"]
    assert {*VALUES, *MARKERS} <= PREDEFINED["gitlab"] | PREDEFINED["jenkins"]
    assert "CI" not in PREDEFINED["gitlab"] | PREDEFINED["jenkins"]
