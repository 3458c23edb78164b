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


_OVERRIDDEN = """\
pipeline {
    agent any
    environment {
        LOGIN = credentials('hub'); USER_AT = "${LOGIN_USR}@host"
        KEY = credentials('key'); AUTH = "X ${KEY}"
    }
    stages {
        stage('push') {
            environment { LOGIN = credentials('other'); KEY = credentials('second') }
            steps { sh 'push "$LOGIN_USR" "$LOGIN" "$KEY"' }
        }
    }
}
"""


def test_values_keep_the_credential_of_the_block_around() -> None:
    """Jenkins sets the variables of a block before those of the blocks in it."""
    result = import_jenkins(SourceFile("Jenkinsfile", _OVERRIDDEN), Report())
    config = " ".join(result.text.split())

    assert "LOGIN: { password: hub }" in config
    assert "LOGIN_LOGIN: { password: other } KEY_SECRET: second" in config
    assert (
        '- export USER_AT="${LOGIN_USR}@host" - export LOGIN_USR="$LOGIN_LOGIN_USERNAME"'
        ' LOGIN_PSW="$LOGIN_LOGIN_PASSWORD" - export LOGIN="${LOGIN_USR}:${LOGIN_PSW}" - export KEY="$KEY_SECRET"'
    ) in config


def test_a_credential_of_a_stage_replaces_one_that_no_other_variable_reads() -> None:
    """It needs no second secret."""
    text = _OVERRIDDEN.replace('; USER_AT = "${LOGIN_USR}@host"', "").replace('; AUTH = "X ${KEY}"', "")
    result = import_jenkins(SourceFile("Jenkinsfile", text), Report())

    assert "secrets: { LOGIN: { password: other }, KEY: second }" in " ".join(result.text.split())
    assert result.text.count("export LOGIN_USR=") == 1


_COMPUTED = """\
def ids = [login: 'user', key: 'token']
pipeline {
    agent any
    environment { LOGIN = credentials("${ids.login}"); KEY = credentials("${ids.key}") }
    stages {
        stage('push') {
            environment { USER_AT = "${LOGIN_USR}@host" }
            steps { sh 'push "$USER_AT" "$LOGIN" "$KEY"' }
        }
    }
}
"""


def test_a_credential_whose_id_is_known_only_at_run_time_is_bound_around_the_steps() -> None:
    """`credentials()` is no step: only `environment` of Declarative knows it."""
    report = Report()
    config = " ".join(import_jenkins(SourceFile("Jenkinsfile", _COMPUTED), report).text.split())

    assert 'around: - \'withCredentials([usernamePassword(credentialsId: "${ids.login}", ' in config
    assert "passwordVariable: ''LOGIN_PSW''), usernameColonPassword(credentialsId: " in config
    assert "withCredentials([string(credentialsId: \"${ids.key}\", variable: ''KEY'')])" in config
    assert 'export USER_AT="${LOGIN_USR}@host"' in config
    assert "Jenkinsfile:4:62: warning[PG850] the file does not show the kind of this credential" in messages(report)
