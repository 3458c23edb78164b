"""Variables that Jenkins sets after the checkout of a stage, which a step for the checkout does not set."""

from __future__ import annotations

import pytest
from importing.samples import messages

from pipegen.diagnostics.report import Report
from pipegen.importing.jenkins.importer import import_jenkins
from pipegen.source.text import SourceFile

_SOURCE = """\
pipeline {
    agent any
    stages {
        stage('build') {
            steps {
                STEPS
            }
        }
    }
}
"""


def _config(steps: str) -> str:
    return import_jenkins(SourceFile("Jenkinsfile", _SOURCE.replace("STEPS", steps)), Report()).text


@pytest.mark.parametrize(
    ("steps", "variable"),
    [
        ("sh 'docker build -t app:$GIT_COMMIT .'", 'GIT_COMMIT: "${setup.commit}"'),
        ("sh 'git diff ${GIT_PREVIOUS_SUCCESSFUL_COMMIT:-HEAD}'", "${setup.GIT_PREVIOUS_SUCCESSFUL_COMMIT}"),
        ("// the image\n                sh 'docker push app:$GIT_COMMIT'", 'GIT_COMMIT: "${setup.commit}"'),
        ('sh "./deploy ${env.GIT_URL}"', 'GIT_URL: "${setup.GIT_URL}"'),
        ("script { for (i in [1, 2]) { echo env.GIT_BRANCH } }", 'GIT_BRANCH: "${setup.GIT_BRANCH}"'),
    ],
)
def test_a_stage_that_reads_variables_of_the_checkout_gets_them(steps: str, variable: str) -> None:
    """The git plugin documents them; scripts and Groovy read them as variables."""
    config = _config(steps)

    assert "env: {" in config
    assert variable in config


@pytest.mark.parametrize(
    "steps",
    [
        "sh 'GIT_COMMIT=$(git rev-parse HEAD) make'",
        "script { env.GIT_COMMIT = 'x'; if (env.GIT_COMMIT) { echo 'y' } }",
        "sh 'MY_GIT_COMMIT=1; echo $MY_GIT_COMMIT'",
    ],
)
def test_variables_that_the_file_sets_stay_its_own(steps: str) -> None:
    """So do others with similar names."""
    assert "setup." not in _config(steps)


def _with_when(condition: str) -> str:
    return _SOURCE.replace("steps {", f"when {{ {condition} }}\n            steps {{").replace("STEPS", "sh 'make'")


@pytest.mark.parametrize(
    ("condition", "when"),
    [
        ("expression { env.GIT_BRANCH == 'origin/main' }", "{ branch: main }"),
        ("environment name: 'GIT_BRANCH', value: 'main'", "{ branch: main }"),
        ("expression { env.GIT_LOCAL_BRANCH != 'main' }", "{ not: { branch: main } }"),
        ("expression { GIT_BRANCH.startsWith('origin/release/') }", "{ branch: release/** }"),
        (
            "expression { BRANCH_NAME.startsWith('PR-') || BRANCH_NAME == 'x' }",
            "{ any: [{ event: merge_request }, { branch: x }] }",
        ),
        (r"expression { BRANCH_NAME ==~ /PR-\d+/ }", "{ event: merge_request }"),
        ("expression { env.BRANCH_NAME ==~ 'PR-[0-9]+' }", "{ event: merge_request }"),
        (r"expression { env.GIT_BRANCH ==~ /origin\/(main|release\/.*)/ }", "{ branch: /^(main|release/.*)$/ }"),
        (r"expression { env.GIT_BRANCH =~ /.*\/dev/ }", "{ branch: /dev/ }"),
    ],
)
def test_conditions_on_the_branch_of_the_checkout_compare_the_branch_that_is_built(condition: str, when: str) -> None:
    """The git plugin documents GIT_BRANCH: "For example, main or origin/main"."""
    report = Report()
    imported = import_jenkins(SourceFile("Jenkinsfile", _with_when(condition)), report)

    assert f"when: {when}" in imported.text
    assert '"when" reads' not in messages(report)


def test_other_conditions_on_variables_of_the_checkout_are_reported() -> None:
    """Conditions are tested before the checkout, which sets none."""
    text = _with_when("expression { env.GIT_COMMIT == 'abc' }")
    report, own = Report(), Report()
    import_jenkins(SourceFile("Jenkinsfile", text), report)
    import_jenkins(SourceFile("Jenkinsfile", text.replace("any", "any\nenvironment { GIT_COMMIT = 'x' }")), own)

    assert '5:13: warning[PG850] "when" reads "GIT_COMMIT", empty in conditions of the generated file' in messages(
        report
    )
    assert '"when" reads' not in messages(own)


def test_a_variable_of_the_file_is_not_the_branch_of_the_checkout() -> None:
    """A file may set it."""
    text = _with_when("environment name: 'GIT_BRANCH', value: 'x'")
    imported = import_jenkins(
        SourceFile("Jenkinsfile", text.replace("any", "any\nenvironment { GIT_BRANCH = 'x' }")), Report()
    )

    assert "branch:" not in imported.text
