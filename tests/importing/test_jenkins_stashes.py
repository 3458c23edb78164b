"""Files of stashes that stages remove, replace and get, in imports of a Jenkinsfile."""

from __future__ import annotations

import pytest
from importing.samples import messages

from pipegen.diagnostics.report import Report
from pipegen.importing.jenkins.importer import JenkinsImport, import_jenkins
from pipegen.importing.jenkins.proof import prove_stages
from pipegen.source.text import SourceFile

_REMOVAL = '"sh" is left out: it would remove the files of the stages before, which stay in place'
_KEPT = '"stash" of stage "build" stays Groovy: an "unstash" of "dist" stays Groovy'


def _imported(stages: str, around: str = "") -> tuple[JenkinsImport, str]:
    report = Report()
    source = f"{around}pipeline {{\n    agent none\n    stages {{\n{stages}\n    }}\n}}\n"
    return import_jenkins(SourceFile("Jenkinsfile", source), report), messages(report)


def _is_same(result: JenkinsImport) -> bool:
    proof = prove_stages(result)
    return proof is not None and not proof.differences


def _used_after(steps: str, around: str = "") -> tuple[JenkinsImport, str]:
    """Return the import of a stage that gets a stash after *steps*."""
    stages = f"""\
        stage('build') {{ agent any; steps {{ sh 'make'; stash name: 'dist', includes: 'dist/**' }} }}
        stage('use') {{ agent any
            steps {{
                {steps}
                unstash 'dist'
                sh './use'
            }}
        }}"""
    return _imported(stages, around)


@pytest.mark.parametrize(
    "removal",
    [
        "sh 'rm -rf *'",
        "sh 'sudo rm -rf ./*'",
        "sh 'rm -rf ${WORKSPACE}/* ${WORKSPACE}/.??*'",
        "sh 'git clean -xfd'",
        "sh '''\n    rm -fr ./* .*\n'''",
        "script { sh 'rm -rf *' }",
    ],
)
def test_a_removal_of_all_files_before_an_unstash_is_left_out(removal: str) -> None:
    """The script of a stage starts with the files of stages before, so the command would remove these."""
    result, reported = _used_after(removal)

    assert _REMOVAL in reported
    assert "script: [./use]" in result.text
    assert "artifacts: { paths: [dist/**], keep: false }" in result.text
    assert _is_same(result)


def test_a_removal_in_a_function_is_reported_once() -> None:
    """Each call of the function stands for its steps."""
    function = 'void clean() {\n    sh """\n        rm -rf ./*\n    """\n}\n'
    result, reported = _used_after("clean()\n                unstash 'dist'\n                clean()", function)

    assert reported.count(_REMOVAL) == 1
    assert "script: [./use]" in result.text


@pytest.mark.parametrize(
    "removal",
    [
        "sh 'rm -rf dist'",
        "sh 'make clean && rm -r ./dist/lib'",
        "sh 'if [ -e old ]; then rm -r \"$OLD\"; fi'",
        "sh 'git clean -xfd -e cache'",
        "sh 'sudo rm -rf di*'",
    ],
)
def test_a_stash_whose_files_are_removed_before_stays_groovy(removal: str) -> None:
    """Its files come after the command then."""
    result, reported = _used_after(removal)

    assert _KEPT in reported
    assert "steps: { jenkins: [unstash 'dist', sh './use'], elsewhere: skip }" in result.text
    assert _is_same(result)


@pytest.mark.parametrize(
    "command",
    [
        "sh 'rm -rf build'",
        "sh 'docker run --rm dist'",
        "sh 'git status'",
        "sh 'echo rm dist'",
        "dir('d') { sh 'ls *' }",
    ],
)
def test_other_commands_may_be_before_an_unstash(command: str) -> None:
    """They concern other files."""
    result, reported = _used_after(command)

    assert _KEPT not in reported
    assert "artifacts: { paths: [dist/**], keep: false }" in result.text
    assert _is_same(result)


def _replaced(uses: str) -> tuple[JenkinsImport, str]:
    """Return the import of two stages at the same time with the same file in stashes, and of *uses* after them."""
    stages = f"""\
        stage('build') {{ parallel {{
            stage('a') {{ agent any; steps {{ sh 'make a'; stash name: 'a', includes: 'app.cfg' }} }}
            stage('b') {{ agent any; steps {{ sh 'make b'; stash name: 'b', includes: 'app.cfg' }} }}
        }} }}
        stage('use') {{ agent any; steps {{ {uses}; sh './use' }} }}"""
    return _imported(stages)


def test_stashes_with_the_same_files_overlap() -> None:
    """A stage gets them in the order of the stages."""
    result, reported = _replaced("unstash 'a'; unstash 'b'")

    assert result.text.count("artifacts: { paths: [app.cfg], keep: false, overlap: true }") == 2
    assert "refuses" not in reported
    assert _is_same(result)


@pytest.mark.parametrize("name", ["a", "b"])
def test_one_of_two_stashes_with_the_same_files_needs_no_overlap(name: str) -> None:
    """No stage gets the files of both."""
    result, _ = _replaced(f"unstash '{name}'")

    assert "overlap" not in result.text
    assert f"files_from: [{name}]" in result.text
    assert _is_same(result)


def test_stashes_with_the_same_files_in_another_order_are_reported() -> None:
    """In a config, a stage gets the files of stages in their order."""
    result, reported = _replaced("unstash 'b'; unstash 'a'")

    assert "overlap" not in result.text
    assert '"artifacts" of stage "a" is left out, because a config refuses it' in reported
