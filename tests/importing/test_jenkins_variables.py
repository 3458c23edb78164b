"""Variables of `environment` and `withEnv`, in which Jenkins expands nothing that Groovy does not insert."""

from __future__ import annotations

import pytest

from pipegen.diagnostics.report import Report
from pipegen.importing.jenkins.importer import import_jenkins
from pipegen.source.text import SourceFile

_SOURCE = """\
pipeline {
    agent any
    environment { REGISTRY = 'registry.example.org'; IMAGE = VALUE }
    stages {
        stage('build') { steps { STEPS } }
        stage('other') { steps { sh './other' } }
    }
}
"""


def _config(value: str, steps: str = "sh './push $IMAGE'") -> str:
    text = _SOURCE.replace("VALUE", value).replace("STEPS", steps)
    return import_jenkins(SourceFile("Jenkinsfile", text), Report()).text


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('"${REGISTRY}/app"', 'IMAGE: "${REGISTRY}/app" }'),
        ("'$REGISTRY/app'", "IMAGE: $REGISTRY/app }"),
        ('"\\$REGISTRY/app"', "IMAGE: $REGISTRY/app }"),
        ("'${REGISTRY}/app'", """'withEnv(["IMAGE=\\${REGISTRY}/app"])'"""),
    ],
)
def test_only_groovy_inserts_variables_into_a_value(value: str, expected: str) -> None:
    """`EnvStep` sets the values as they are (`EnvironmentExpander.constant`); a config has no text with `${`."""
    assert expected in _config(value)


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ("'NAME=$REGISTRY'", 'export NAME="\\$REGISTRY"'),
        ('"NAME=${REGISTRY}"', 'export NAME="${REGISTRY}"'),
    ],
)
def test_variables_around_some_of_the_steps_are_the_same(item: str, expected: str) -> None:
    """The shell expands a text in double quotes, so that a dollar sign needs a backslash."""
    assert expected in _config("'app'", f"sh './first'; withEnv([{item}]) {{ sh './push $NAME' }}")


@pytest.mark.parametrize("value", ["'$REGISTRY/app'", "'${REGISTRY}/app'"])
def test_the_shell_expands_a_value_that_groovy_inserts_into_a_command(value: str) -> None:
    """Groovy writes the value of IMAGE into the command before a shell reads it."""
    assert f"./push {value[1:-1]}" in _config(value, 'sh "./push ${IMAGE}"')
