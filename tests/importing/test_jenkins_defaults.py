"""Texts that Groovy inserts in place of empty values (`params.TAG ?: 'latest'`)."""

from __future__ import annotations

import pytest
from importing.samples import messages

from pipegen.diagnostics.report import Report
from pipegen.importing.compilation import compiled
from pipegen.importing.jenkins.importer import import_jenkins
from pipegen.importing.jenkins.proof import prove_stages
from pipegen.source.text import SourceFile

_PIPELINE = """\
pipeline {
    agent any
    parameters {
        string(name: 'TAG', defaultValue: '')
        booleanParam(name: 'DRY', defaultValue: false)
    }
    environment { ENVIRONMENT }
    stages {
        stage('build') { steps { STEP } }
        stage('test') { steps { sh 'make test' } }
    }
}
"""


def _config(step: str, environment: str = "EMPTY = ''; LEVEL = 'full'") -> str:
    report = Report()
    text = _PIPELINE.replace("ENVIRONMENT", environment).replace("STEP", step)
    result = import_jenkins(SourceFile("Jenkinsfile", text), report)
    proof = prove_stages(result)

    assert proof is not None
    assert proof.differences == ()
    assert not compiled(result.text, "jenkins").errors, messages(report)
    return result.text


@pytest.mark.parametrize(
    ("step", "command"),
    [
        ("echo \"tag ${params.TAG ?: 'latest'}\"", 'echo "tag ${inputs.TAG|latest}"'),
        ("sh \"make x:${params.TAG ?: 'latest'}\"", "make x:${inputs.TAG|latest}"),
        ("sh \"make ${params.TAG ?: 'a b'} all\"", "make ${TAG:-a b} all"),
        ("echo \"branch ${env.GIT_BRANCH ?: 'N/A'}\"", 'echo "branch ${GIT_BRANCH:-N/A}"'),
        ('sh "make \'${env.BUILD_USER ?: "none"}\'"', 'make "${BUILD_USER:-none}"'),
        ("sh \"make ${LEVEL ?: 'x'} ${EMPTY ?: 'y'}\"", "make ${LEVEL:-x} ${EMPTY:-y}"),
        ("script { def v = sh(script: 'v', returnStdout: true).trim(); sh \"x ${v ?: '0'}\" }", "x ${v:-0}"),
    ],
)
def test_a_text_in_place_of_an_empty_value_is_a_default(step: str, command: str) -> None:
    """It is that of a reference, or of a variable of the shell."""
    config = _config(step)

    assert f"- {command}\n" in config.replace("\\'", "'").replace("- '", "- ").replace("'\n", "\n")
    assert "steps:" not in config


def test_a_variable_has_the_default_of_a_reference() -> None:
    """References in `env` can have one."""
    config = _config("sh 'make $IMAGE'", "IMAGE = \"app:${params.TAG ?: 'latest'}\"")

    assert 'IMAGE: "app:${inputs.TAG|latest}"' in config


@pytest.mark.parametrize(
    "step",
    [
        "echo \"dry ${params.DRY ?: 'no'}\"",
        "echo \"tag ${params.TAG ?: 'a}b'}\"",
        "echo \"tag ${params.TAG ?: '$HOME'}\"",
        'echo "tag ${params.TAG ?: other()}"',
    ],
)
def test_other_defaults_stay_groovy(step: str) -> None:
    """A boolean is not empty, and the shell interprets some texts."""
    assert "jenkins:" in _config(step).partition("stages:")[2].partition("targets:")[0]
