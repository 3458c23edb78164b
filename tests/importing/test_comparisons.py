"""Comparisons of two variables in pipelines of other engines."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from importing.samples import from_text, messages
from ruamel.yaml import YAML
from targets.gitlab.rules_reader import evaluated

from pipegen.diagnostics.report import Report
from pipegen.importing.gitlab.proof.comparison import prove
from pipegen.importing.jenkins.importer import import_jenkins
from pipegen.importing.jenkins.proof import prove_stages
from pipegen.source.text import SourceFile

_YAML = YAML(typ="safe", pure=True)
_INPUTS = "variables: { LEVEL: { value: '', description: How much }, OTHER: { value: x, description: Another } }\n"
_REFS = (
    {"CI_COMMIT_BRANCH": "main", "CI_PIPELINE_SOURCE": "web", "CI_COMMIT_REF_NAME": "main"},
    {"CI_COMMIT_TAG": "main", "CI_PIPELINE_SOURCE": "push", "CI_COMMIT_REF_NAME": "main"},
    {"CI_MERGE_REQUEST_IID": "1", "CI_PIPELINE_SOURCE": "merge_request_event", "CI_COMMIT_REF_NAME": "main"},
)


def _when(config: str) -> object:
    (stage,) = _YAML.load(config)["pipelines"]["ci"]["stages"]
    return stage.get("when")


@pytest.mark.parametrize(
    ("rule", "when"),
    [
        ("$CI_COMMIT_BRANCH && $CI_COMMIT_BRANCH == $A", "{ equal: [branch, env.A] }"),
        ("$A != null && $A == $CI_COMMIT_TAG", "{ equal: [tag, env.A] }"),
        ("$A && $B && $A == $B", "{ equal: [env.A, env.B] }"),
        ("$CI_COMMIT_REF_NAME == $CI_COMMIT_TAG", "{ tag: true }"),
        ("$CI_COMMIT_BRANCH == $CI_COMMIT_REF_NAME", "{ branch: true }"),
        ("$A == $B", "{ any: [{ equal: [env.A, env.B] }, { env: { A: false, B: false } }] }"),
        ("$A == null || $A != $B", "{ not: { equal: [env.A, env.B] } }"),
        ("$A && $A != $B", "{ env: { A: true }, not: { equal: [env.A, env.B] } }"),
        ("$CI_COMMIT_REF_NAME == $A", "{ equal: [env.A, env.CI_COMMIT_REF_NAME] }"),
        ("$LEVEL == $CI_COMMIT_BRANCH", "{ equal: [branch, inputs.LEVEL] }"),
        ("$LEVEL == $A", "{ equal: [inputs.LEVEL, env.A] }"),
        ('$LEVEL == "a" && $LEVEL == $OTHER', "{ equal: [inputs.LEVEL, inputs.OTHER], inputs: { LEVEL: a } }"),
        ("$A == $CI_COMMIT_BRANCH", "{ any: [{ equal: [branch, env.A] }, { branch: false, env: { A: false } }] }"),
        ('$CI_COMMIT_BRANCH == $A && $A == "main"', "{ equal: [branch, env.A], env: { A: main } }"),
        ("$LEVEL == $OTHER", None),
        ("$A != $CI_COMMIT_BRANCH", None),
        ("$CI_COMMIT_BRANCH != $A && $CI_COMMIT_TAG == $B", None),
    ],
)
def test_two_variables_are_compared_as_on_gitlab(rule: str, when: str | None, tmp_path: Path) -> None:
    """There, null equals null, but not the empty text. Inputs may be empty; other variables are set to a text."""
    result, report = from_text(f"{_INPUTS}unit: {{ script: make, rules: [{{ if: '{rule}' }}] }}\n", tmp_path)
    generated = _YAML.load(result.generated[-1].text)

    assert messages(report) == ""
    assert "raw:" not in result.text
    assert when is None or _when(result.text) == _YAML.load(when)
    for ref, first, second, level in product(_REFS, (None, "a", "main"), (None, "a", "main"), ("", "a", "main")):
        own = {"A": first, "B": second, "LEVEL": level, "OTHER": "a"}
        variables = {**ref, **{name: text for name, text in own.items() if text is not None}}
        runs = any(evaluated(each["if"], variables) for each in generated["unit"]["rules"])
        assert runs is evaluated(rule, variables), variables


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        ("$A =~ $B", "$A is matched with a pattern in $B"),
        ("$CI_COMMIT_BRANCH == $NESTED", "the value of $NESTED depends on the run"),
    ],
)
def test_other_comparisons_stay_raw(rule: str, reason: str, tmp_path: Path) -> None:
    """The reason is reported; a variable with another in its value may differ in each run."""
    variables = "variables: { NESTED: $CI_COMMIT_REF_NAME }\n"
    result, report = from_text(f"{variables}unit: {{ script: make, rules: [{{ if: '{rule}' }}] }}\n", tmp_path)
    proof = prove(result)

    assert reason in messages(report)
    assert f"rules: [{{ if: {rule} }}]" in result.text
    assert proof is not None
    assert proof.differences == ()


_JENKINSFILE = """\
pipeline {
    agent any
    parameters {
        string(name: 'TARGET', defaultValue: 'main')
        string(name: 'OTHER')
        booleanParam(name: 'FAST', defaultValue: false)
        booleanParam(name: 'SLOW', defaultValue: false)
    }
    environment { FIXED = 'main'; WANTED = "${params.TARGET}" }
    stages {
        stage('a') {
            when { CONDITION }
            steps { sh 'make' }
        }
    }
}
"""


def _jenkinsfile(condition: str) -> SourceFile:
    """Return a Jenkinsfile with *condition*, a directive of `when` or an expression."""
    directive = condition if condition.startswith(("equals ", "environment ")) else f"expression {{ {condition} }}"
    return SourceFile("Jenkinsfile", _JENKINSFILE.replace("CONDITION", directive))


@pytest.mark.parametrize(
    ("condition", "when"),
    [
        ("env.BRANCH_NAME == params.TARGET", "{ equal: [branch, inputs.TARGET] }"),
        ("return BRANCH_NAME == env.WANTED", "{ equal: [branch, inputs.TARGET] }"),
        ("params.TARGET != env.A", "{ not: { equal: [inputs.TARGET, env.A] } }"),
        ("env.A && env.A == env.TAG_NAME", "{ equal: [tag, env.A] }"),
        ("env.TAG_NAME == env.BRANCH_NAME", "{ tag: true }"),
        ("env.A == env.B", "{ any: [{ equal: [env.A, env.B] }, { env: { A: false, B: false } }] }"),
        ("params.FAST == params.SLOW", "{ equal: [inputs.FAST, inputs.SLOW] }"),
        ("env.A == env.FAST", "{ equal: [inputs.FAST, env.A] }"),
        ("env.BRANCH_NAME == FIXED", "{ branch: main }"),
        ("equals expected: params.TARGET, actual: env.BRANCH_NAME", "{ equal: [branch, inputs.TARGET] }"),
        ('equals expected: "${params.TARGET}", actual: BRANCH_NAME', "{ equal: [branch, inputs.TARGET] }"),
        (
            'environment name: "A", value: params.TARGET',
            "{ any: [{ equal: [inputs.TARGET, env.A] }, { env: { A: false }, inputs: { TARGET: false } }] }",
        ),
        ('environment name: "FIXED", value: "${params.TARGET}"', "{ inputs: { TARGET: main } }"),
        ('environment name: "A", value: ""', "{ env: { A: false } }"),
        ('environment name: "A", value: "a-1", ignoreCase: true', r"{ env: { A: '/^[aA]\-1$/' } }"),
        ('environment name: "A", value: "a-1", ignoreCase: false', "{ env: { A: a-1 } }"),
        ("env.A == null", "{ env: { A: false } }"),
        ("env.A == null || env.A == ''", "{ env: { A: false } }"),
        ("env.A != '' && env.A != null", "{ env: { A: true } }"),
        ("env.A && env.A != ''", "{ env: { A: true } }"),
        ("env.A in ['', null]", "{ env: { A: false } }"),
        ("env.WANTED != null", "{ inputs: { TARGET: true } }"),
        ("env.FAST.toBoolean()", '{ inputs: { FAST: "true" } }'),
        ("true == params.FAST", '{ inputs: { FAST: "true" } }'),
        ("params.FAST == true", '{ inputs: { FAST: "true" } }'),
        ("equals expected: true, actual: params.FAST", '{ inputs: { FAST: "true" } }'),
        ("params.FAST.toBoolean()", '{ inputs: { FAST: "true" } }'),
        ("env.FAST == 'true'", '{ inputs: { FAST: "true" } }'),
        ("params.TARGET == ''", "{ inputs: { TARGET: false } }"),
    ],
)
def test_variables_are_compared_as_in_groovy(condition: str, when: str) -> None:
    """There, null equals null, but not the empty text, which a parameter without a value is.

    Read off builds of Jenkins 2.479.3, where the directive `environment` takes an empty text for a missing variable.
    """
    report = Report()
    imported = import_jenkins(_jenkinsfile(condition), report)
    proof = prove_stages(imported)

    assert _when(imported.text) == _YAML.load(when)
    assert proof is not None
    assert proof.differences == ()


@pytest.mark.parametrize(
    "condition",
    ["params.TARGET != null", "params.FAST != null", "env.SLOW", "FIXED != null", "FIXED.startsWith('ma')", "true"],
)
def test_conditions_that_always_hold_are_left_out(condition: str) -> None:
    """A parameter is never null, and a boolean one is a text in the environment, which is true if it is `false`."""
    report = Report()
    imported = import_jenkins(_jenkinsfile(condition), report)

    assert messages(report) == ""
    assert "when:" not in imported.text


@pytest.mark.parametrize(
    ("condition", "reason"),
    [
        ("params.FAST == env.A", "Groovy compares a boolean with a text"),
        ("params.FAST == 'true'", "Groovy compares a boolean with a text"),
        ("params.FAST in ['true', 'yes']", "Groovy compares a boolean with a text"),
        ("env.FAST == true", "Groovy compares a boolean with a text"),
        ("equals expected: 'true', actual: params.FAST", "Groovy compares a boolean with a text"),
        ("params.TARGET.toBoolean()", "toBoolean() is true for several texts"),
        ("env.A != ''", "a config does not distinguish an empty variable from one that is missing"),
        ("params.UNKNOWN == env.A", "the type of a parameter is not known"),
        ("env.GIT_BRANCH == env.A", "a config does not know the text of GIT_BRANCH"),
        ("env.A ==~ env.B", "it contains Groovy"),
        ("currentBuild.result == env.A", "it contains Groovy"),
        ('equals expected: "${env.A}", actual: env.B', "known only at run time"),
        ('environment name: "A", value: env.B', "known only at run time"),
        ('environment name: "A", value: "${params.FAST}"', "Groovy compares a boolean with a text"),
    ],
)
def test_other_comparisons_stay_groovy(condition: str, reason: str) -> None:
    """In Groovy, the boolean true is not equal to the text "true"."""
    report = Report()
    imported = import_jenkins(_jenkinsfile(condition), report)

    assert reason in messages(report)
    assert "when:" not in imported.text
