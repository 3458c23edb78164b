"""An imported Jenkinsfile does the same as its source when both run."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from engines import jenkins_harness
from engines.requirement import require

from pipegen.diagnostics.report import Report
from pipegen.importing.jenkins.importer import import_jenkins
from pipegen.source.text import SourceFile

_SOURCE = """\
pipeline {
    agent any
    environment { LEVEL = 'full' }
    stages {
        stage('good') {
            steps {
                script {
                    if (env.LEVEL == 'full' && !env.NOTHING) {
                        sh 'cd /; echo said: all'
                    } else {
                        sh 'echo said: some'
                    }
                    if (env.LEVEL != 'full') { error 'said: never' }
                }
                dir('new') { sh 'echo said: inside >file' }
                dir('new') { sh 'cat file'; deleteDir() }
                sh 'test ! -e new && echo said: removed'
            }
            post { POST }
        }
        stage('conditional') {
            when { anyOf { branch 'other'; expression { env.LEVEL.length() == 4 } } }
            steps { sh 'echo said: conditional' }
        }
        stage('not') {
            when { allOf { expression { env.LEVEL.length() == 4 }; not { expression { env.LEVEL.startsWith('f') } } } }
            steps { sh 'echo said: not' }
        }
        stage('bad') {
            steps { sh 'echo said: bad; false' }
            post { POST }
        }
        stage('never') {
            steps { sh 'echo said: never' }
            post { POST }
        }
    }
}
"""
_POST = """\
failure { acmeCry(); sh 'echo said: cried' }
                always { sh 'echo said: tidied'; acmeTidy(); sh 'echo said: after' }"""


@pytest.mark.parametrize("agent", ["agent any", "agent none"])
def test_the_same_commands_and_steps_run_in_the_same_order(
    agent: str, repository: Callable[[Mapping[str, str | bytes]], Path], tmp_path: Path
) -> None:
    """In one workspace and in several."""
    require(jenkins_harness.available())
    source = _SOURCE.replace("POST", _POST)
    if agent == "agent none":
        source = source.replace("agent any", agent, 1)
        source = source.replace("            steps {", "            agent any\n            steps {")
    imported = import_jenkins(SourceFile("Jenkinsfile", source), Report())
    (file,) = imported.generated
    checkout = repository({"x": ""})

    said = [
        _said(jenkins_harness.run(text, checkout, workdir=tmp_path / name, plugin_steps=("acmeCry", "acmeTidy")))
        for name, text in (("source", source), ("imported", file.text))
    ]

    assert "said: conditional" in said[0]
    assert said[0] == said[1]


def _said(build: jenkins_harness.Build) -> list[str]:
    """Return the result of *build*, and what its commands and steps say."""
    return [build.result, *re.findall(r"^(said: \w+|\[plugin\] \w+)", build.log, re.MULTILINE)]
