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
_STEPS = """\
pipeline {
    agent any
    environment { A = 'a b'; B = "${A}-x" }
    parameters { string(name: 'P', defaultValue: 'it is'); booleanParam(name: 'F', defaultValue: true) }
    stages {
        stage('env') {
            environment { A = 'other'; C = sh(script: 'echo c', returnStdout: true).trim() }
            steps {
                withEnv(['D=d "q"', "E=${env.A}"]) { sh 'echo said: "$A|$B|$C|$D|$E|$P|$F"' }
                sh 'export X=1; cd /tmp'
                sh 'echo said: "${X:-none}|$(basename "$PWD" | cut -c1-3)"'
                echo "said: ${params.P} ${A} 'q'"
                println 'said: plain $A'
                sh '''#!/bin/bash
                    false
                    echo said: goes on
                '''
                sh 'false || echo said: or'
                writeFile file: 'w.txt', text: "said: ${A}\\n"
                sh 'cat w.txt'
                sh script: 'echo said: label', label: 'x'
            }
        }
        stage('caught') {
            steps { catchError(buildResult: 'SUCCESS', stageResult: 'FAILURE') { sh 'echo said: caught; false' } }
        }
        stage('retry') {
            steps { retry(2) { sh 'echo said: try; test -e tried || { touch tried; false; }' } }
        }
        stage('flag') { when { expression { params.F && env.A == 'a b' } }; steps { sh 'echo said: flag' } }
        stage('noflag') { when { not { expression { return params.F } } }; steps { sh 'echo said: noflag' } }
        stage('par') {
            parallel {
                stage('p1') { steps { sh 'echo said: p1' } }
                stage('p2') { when { branch 'nope' }; steps { sh 'echo said: p2' } }
            }
        }
        stage('script') {
            steps {
                script {
                    def v = "v-${env.A}"
                    sh "echo said: '${v}' ${v}"
                    if (params.F) { echo "said: F ${v}" }
                    if (params.P == 'it is' || env.A == 'x') { sh 'echo said: P' } else { error 'no' }
                }
            }
            post { always { sh 'echo said: always' } }
        }
        stage('fails') { steps { sh 'echo said: f1; exit 3' }; post { failure { echo 'said: failed' } } }
        stage('never') { steps { sh 'echo said: never' } }
    }
    post {
        success { sh 'echo said: S' }
        failure { sh 'echo said: X'; echo "said: ${A}" }
        always { echo 'said: end' }
    }
}
"""
_VALUES = """\
def IMAGE
def COUNT = ''
pipeline {
    agent any
    stages {
        stage('Prepare') {
            steps {
                sh 'echo said: first'
                script {
                    env.VERSION = sh(script: 'echo "1.0 *"; echo', returnStdout: true).trim()
                    IMAGE = "app:${env.VERSION}"
                    echo "said: ${IMAGE}"
                    sh 'echo "said: $VERSION"'
                }
                script { COUNT = sh(script: 'echo 1; echo 2', returnStdout: true).trim() }
                sh 'echo "4 *" >notes.txt'
                script { env.NOTES = readFile('notes.txt').trim() }
            }
        }
        stage('Build image') {
            environment { LABEL = "label-${IMAGE}" }
            steps {
                sh 'echo "said: $VERSION|$LABEL|$NOTES"'
                echo "said: ${IMAGE} ${COUNT} ${env.VERSION}"
                script {
                    def size = sh(returnStdout: true, script: '''
                        echo "3 4" |
                            cut -c1
                        true
                    ''').trim()
                    if (env.VERSION == '1.0 *') { echo "said: equal ${size}" } else { echo 'said: other' }
                }
                dir('new') {
                    script {
                        def name = sh(script: 'basename "$PWD"', returnStdout: true).trim()
                        echo "said: ${name}"
                    }
                }
                sh 'basename "$PWD" | grep -qx new || echo said: outside'
            }
        }
        stage('Tell') { steps { acmeTell "said: ${IMAGE} ${COUNT}"; sh 'echo "said: $VERSION"' } }
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
        _output_of(jenkins_harness.run(text, checkout, workdir=tmp_path / name, plugin_steps=("acmeCry", "acmeTidy")))
        for name, text in (("source", source), ("imported", file.text))
    ]

    assert "said: conditional" in said[0]
    assert said[0] == said[1]


def test_steps_have_the_same_variables_and_results(
    repository: Callable[[Mapping[str, str | bytes]], Path], tmp_path: Path
) -> None:
    """There are nested blocks, texts with special characters of the shell, and failures that are allowed or retried."""
    require(jenkins_harness.available())
    (file,) = import_jenkins(SourceFile("Jenkinsfile", _STEPS), Report()).generated
    checkout = repository({"x": ""})

    source, imported = (
        _output_of(jenkins_harness.run(text, checkout, workdir=tmp_path / name))
        for name, text in (("source", _STEPS), ("imported", file.text))
    )

    # The stages for `always` and `failure` of the pipeline, with three messages, run at the same time.
    assert "said: plain $A" in source
    assert source[:-3] == imported[:-3]
    assert sorted(source[-3:]) == sorted(imported[-3:]) == ["said: X", "said: a b", "said: end"]


@pytest.mark.parametrize("agent", ["agent any", "agent none"])
def test_computed_values_are_the_same(
    agent: str, repository: Callable[[Mapping[str, str | bytes]], Path], tmp_path: Path
) -> None:
    """This holds in the computing stage and in later ones, in commands, variables, conditions and steps of plugins."""
    require(jenkins_harness.available())
    source = _VALUES
    if agent == "agent none":
        source = source.replace("agent any", agent, 1).replace(" { steps {", " { agent any; steps {")
        source = source.replace("            steps {", "            agent any\n            steps {")
    imported = import_jenkins(SourceFile("Jenkinsfile", source), Report())
    (file,) = imported.generated
    checkout = repository({"x": ""})

    said = [
        _output_of(jenkins_harness.run(text, checkout, workdir=tmp_path / name, plugin_steps=("acmeTell",)))
        for name, text in (("source", source), ("imported", file.text))
    ]

    assert "script {" not in imported.text
    assert "said: 1.0 *|label-app:1.0 *|4 *" in said[0]
    assert said[0] == said[1]


@pytest.mark.parametrize("agent", ["agent any", "agent none"])
@pytest.mark.parametrize(("step", "result"), [("echo 'said: b'", "UNSTABLE"), ("sh 'exit 1'", "FAILURE")])
def test_steps_after_an_unstable_build_are_the_same(
    agent: str,
    step: str,
    result: str,
    repository: Callable[[Mapping[str, str | bytes]], Path],
    tmp_path: Path,
) -> None:
    """An unstable build has not failed, unless a later step fails."""
    require(jenkins_harness.available())
    ends = "".join(f"{name} {{ echo 'said: {name}' }}\n" for name in ("unstable", "failure"))
    taken = "agent any; " if agent == "agent none" else ""
    stages = "".join(f"stage('{name}') {{ {taken}steps {{ unstable 'x'; {step} }} }}\n" for name in "ab")
    source = f"pipeline {{\n{agent}\nstages {{\n{stages}}}\npost {{\n{ends}}}\n}}\n"
    (file,) = import_jenkins(SourceFile("Jenkinsfile", source), Report()).generated
    checkout = repository({"x": ""})

    said = [
        _output_of(jenkins_harness.run(text, checkout, workdir=tmp_path / name))
        for name, text in (("source", source), ("imported", file.text))
    ]

    assert said[0][0] == result
    assert said[0] == said[1]


def _output_of(build: jenkins_harness.Build) -> list[str]:
    """Return the result of *build*, and the output of its commands and steps."""
    return [build.result, *re.findall(r"^(said: .*|\[plugin\] \w+)", build.log, re.MULTILINE)]
