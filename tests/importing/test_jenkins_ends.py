"""`post` of a pipeline, whose parts become stages without an order."""

from __future__ import annotations

import pytest
from importing.samples import messages

from pipegen.diagnostics.report import Report
from pipegen.importing.jenkins.importer import import_jenkins
from pipegen.source.text import SourceFile

_SOURCE = """\
pipeline {
    agent any
    environment { NAME = 'app' }
    stages {
        stage('A') { steps { sh './a' } }
        stage('B') { steps { sh './b' } }
    }
    post {
        always { ALWAYS }
        failure { FAILURE }
        success { echo "done: ${env.NAME}" }
    }
}
"""


@pytest.mark.parametrize(
    ("always", "failure", "reported"),
    [
        ("echo 'end'", "sh './logs'", ""),
        ("sh './clean'", "echo 'failed'", ""),
        ("cleanWs()", 'echo "${env.NAME.toUpperCase()}"', ""),
        ("sh './clean'", "sh './logs'", '"always", "failure" of "post" run at the same time'),
        ("sh './clean'", "slackSend 'failed'", '"always", "failure" of "post" run at the same time'),
        ("sh './clean'", "archiveArtifacts 'log'", '"always", "failure" of "post" run at the same time'),
    ],
)
def test_only_parts_with_an_effect_need_an_order(always: str, failure: str, reported: str) -> None:
    """Messages in the log may be in any order."""
    report = Report()
    import_jenkins(SourceFile("Jenkinsfile", _SOURCE.replace("ALWAYS", always).replace("FAILURE", failure)), report)
    lines = [line for line in messages(report).split("\n") if "at the same time" in line]

    assert [reported in line for line in lines] == ([True] if reported else [])


def test_an_error_after_a_stage_fails_the_build() -> None:
    """The failure of a command in `after` has no effect: the step stays Groovy."""
    steps = "steps { sh 'make' }; post { always { error 'no' } }"
    text = f"pipeline {{ agent any; stages {{ stage('build') {{ {steps} }} }} }}"
    config = import_jenkins(SourceFile("Jenkinsfile", text), Report()).text

    assert "steps: { jenkins: { always: [error 'no'] }, elsewhere: skip }" in config


@pytest.mark.parametrize(
    ("step", "is_reported"),
    [
        ("sh 'docker logout'", True),
        ("sh 'docker logout || true'", False),
        ("sh 'docker stop a || true\\n\\n# gone\\ndocker rm a || :'", False),
        ("sh 'docker cp a:/log .\\ndocker rm a || true'", True),
        ("sh script: 'docker logout', returnStatus: true", False),
        ("echo 'done'", False),
    ],
)
def test_a_failure_after_a_stage_has_no_effect(step: str, *, is_reported: bool) -> None:
    """Jenkins fails the build if a step in `post` fails."""
    report = Report()
    steps = f"steps {{ sh 'make' }}; post {{ always {{ {step} }} }}"
    text = f"pipeline {{ agent any; stages {{ stage('build') {{ {steps} }} }} }}"
    import_jenkins(SourceFile("Jenkinsfile", text), report)

    assert ('in "after", it has no effect' in messages(report)) is is_reported


def test_a_build_that_accepts_the_failure_of_its_only_stage_succeeds() -> None:
    """The steps in `success` of the pipeline follow, and those of the stage do not."""
    steps = "steps { catchError(buildResult: 'SUCCESS', stageResult: 'FAILURE') { sh 'make' } }"
    post = "post { success { echo 'built' }; failure { echo 'broken' } }"
    text = f"pipeline {{ agent any; stages {{ stage('build') {{ {steps} }} }}; {post} }}"
    config = import_jenkins(SourceFile("Jenkinsfile", text), Report()).text

    assert "- name: on success\n        script: [echo built]\n" in config
    assert "finally: { failed: [on failure], success: [on success] }" in config


def test_a_timeout_in_a_failure_that_the_build_accepts_is_reported() -> None:
    """Jenkins sets the result of the build to that of the timeout."""
    steps = "steps { catchError(buildResult: 'SUCCESS') { timeout(5) { sh './b' } } }"
    report = Report()
    import_jenkins(SourceFile("Jenkinsfile", _SOURCE.replace("steps { sh './b' }", steps)), report)

    assert "after a timeout, the build is aborted in the original" in messages(report)


def test_a_variable_that_groovy_of_a_stage_sets_may_be_null_at_the_end() -> None:
    """An earlier stage may have failed."""
    text = _SOURCE.replace("steps { sh './b' }", "steps { script { env.STEP = acme() } }")
    report = Report()
    result = import_jenkins(
        SourceFile("Jenkinsfile", text.replace("ALWAYS", 'sh "./clean ${env.STEP}"').replace("FAILURE", "")), report
    )

    assert "./clean ${STEP:-null}" in result.text


@pytest.mark.parametrize("step", ["cleanWs()", "deleteDir()", "cleanWs(deleteDirs: true)"])
def test_the_last_stages_do_not_remove_the_workspace(step: str) -> None:
    """They run side by side in one workspace, and each build begins with a clean checkout."""
    text = (
        "pipeline { agent any\n"
        "stages { stage('a') { steps { sh 'make' } }; stage('b') { steps { sh 'make b' } } }\n"
        f"post {{ always {{ sh 'stop'; {step} }}; failure {{ sh 'tell' }} }} }}\n"
    )
    result = import_jenkins(SourceFile("Jenkinsfile", text), Report())

    assert step.partition("(")[0] not in result.text
    assert "script: [stop]" in result.text


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ("mail to: 'a@b.example', subject: 'no ${env.NAME}', body: 'x'", 'subject: "no $${env.NAME}"'),
        ('mail to: "a@b.example", subject: "no ${env.NAME}", body: "x"', "subject: no app"),
        ("emailext to: 'a@b.example', subject: 'gone', body: 'x'", "subject: gone"),
        ("emailext to: 'a@b.example', subject: 'no $BUILD_NUMBER', body: 'x'", "steps:"),
        ("emailext to: 'a@b.example', subject: 'no ${env.NAME}', body: 'x'", "steps:"),
    ],
)
def test_a_mail_has_the_text_of_its_step(step: str, expected: str) -> None:
    """The step `emailext` replaces tokens in its text, which `notify` does not."""
    text = _SOURCE.replace("ALWAYS", "").replace("FAILURE", step)
    result = import_jenkins(SourceFile("Jenkinsfile", text), Report())

    assert expected in result.text
    assert ("notify:" in result.text) == (expected != "steps:")
    assert result.generated
