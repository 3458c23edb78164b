"""Credentials in `environment`, whose kind only other places of a Jenkinsfile show."""

from __future__ import annotations

import pytest
from importing.samples import messages

from pipegen.diagnostics.report import Report
from pipegen.importing.jenkins.importer import import_jenkins
from pipegen.source.text import SourceFile

_PIPELINE = """\
pipeline {
    agent any
    environment { LOGIN = credentials('hub') }
    stages {
        stage('push') { steps { STEP } }
    }
}
"""


@pytest.mark.parametrize(
    ("step", "secret"),
    [
        (
            "script { docker.withRegistry('https://index.docker.io/v1/', 'hub') { sh 'make push' } }",
            "{ password: hub }",
        ),
        ("withDockerRegistry([credentialsId: 'hub', url: '']) { sh 'make push' }", "{ password: hub }"),
        ("withCredentials([file(credentialsId: 'hub', variable: 'FILE')]) { sh 'cat $FILE' }", "{ file: hub }"),
        ("sh 'docker login -u $LOGIN_USR -p $LOGIN_PSW'", "{ password: hub }"),
    ],
)
def test_another_use_of_a_credential_shows_its_kind(step: str, secret: str) -> None:
    """Jenkins cannot bind a user name with a password as a text."""
    report = Report()
    result = import_jenkins(SourceFile("Jenkinsfile", _PIPELINE.replace("STEP", step)), report)

    assert f"LOGIN: {secret}" in result.text
    assert "the kind of this credential" not in messages(report)


def test_a_credential_of_unknown_kind_is_reported() -> None:
    """Only Jenkins knows its kind, and a config names it."""
    report = Report()
    result = import_jenkins(SourceFile("Jenkinsfile", _PIPELINE.replace("STEP", "sh 'make push'")), report)

    assert "secrets: { LOGIN: hub }" in result.text
    assert "Jenkinsfile:3:27: warning[PG850] the file does not show the kind of this credential" in messages(report)
