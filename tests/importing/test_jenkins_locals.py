"""Variables of `script` blocks that get several values: variables of the shell in imports of a Jenkinsfile."""

from __future__ import annotations

import pytest
from importing.samples import messages

from pipegen.diagnostics.report import Report
from pipegen.importing.jenkins.importer import JenkinsImport, import_jenkins
from pipegen.importing.jenkins.proof import prove_stages
from pipegen.source.text import SourceFile

_SOURCE = """\
pipeline {
    agent any
    parameters { string(name: 'TARGET', defaultValue: 'a'); booleanParam(name: 'QUICK', defaultValue: true) }
    stages {
        stage('a') {
            steps {
                script {
                    def flag = VALUE
                    STATEMENTS
                    sh "make ${flag}"
                }
            }
        }
    }
}
"""


def _imported(value: str, statements: str) -> tuple[JenkinsImport, Report]:
    report = Report()
    text = _SOURCE.replace("VALUE", value).replace("STATEMENTS", statements.replace("\n", "\n" + " " * 20))
    return import_jenkins(SourceFile("Jenkinsfile", text), report), report


def _script(result: JenkinsImport) -> str:
    """Return the script of the config without line breaks and indentation."""
    return " ".join(result.text.partition("script:")[2].partition("targets:")[0].split())


@pytest.mark.parametrize(
    ("value", "statements", "script"),
    [
        ("''", "flag = '--quick'", "[flag='', flag=--quick, \"make ${flag}\"] }]"),
        (
            "''",
            "if (params.QUICK) { flag = '--quick' }",
            "- flag='' - |- if [ \"${inputs.QUICK}\" = true ]; then flag=--quick fi - make ${flag}",
        ),
        (
            "'a'",
            "// which one\nif (!flag) {\n    flag = 'b'\n} else {\n    flag = \"${flag}-c\"\n}",
            '- flag=a # which one - |- if [ -z "${flag}" ]; then flag=b else flag="${flag}-c" fi - make ${flag}',
        ),
        (
            "sh(script: 'cat x', returnStdout: true).trim()",
            "flag = params.QUICK ? 'b' : flag ? \"c\" : 'd'",
            '- flag=$(cat x) - |- flag=$( set -e if [ "${inputs.QUICK}" = true ]; then echo b elif',
        ),
        (
            '"${params.TARGET}"',
            "if (params.QUICK) {\n    flag = 'b'\n    sh 'cd y'\n}",
            '- flag="${inputs.TARGET}" - |- if [ "${inputs.QUICK}" = true ]; then flag=b (cd y) fi - make ${flag}',
        ),
        (
            "'a'",
            "if (params.QUICK) { def other = 'b'; sh \"make ${other}\" }",
            '- |- if [ "${inputs.QUICK}" = true ]; then make b fi - make a',
        ),
    ],
)
def test_a_name_with_several_values_is_a_variable_of_the_shell(value: str, statements: str, script: str) -> None:
    """Its values are texts of words, as a shell reads them in the text of a command."""
    result, report = _imported(value, statements)
    proof = prove_stages(result)

    assert messages(report) == ""
    assert _script(result).startswith(script)
    assert proof is not None
    assert proof.differences == ()


@pytest.mark.parametrize(
    ("value", "statements"),
    [
        ("''", "if (params.QUICK) { flag = 'a; b' }"),
        ("'a > b'", "flag = 'a'"),
        ("false", "if (params.QUICK) { flag = true }"),
        ("null", "if (params.QUICK) { flag = 'a' }"),
        ("params.QUICK", "flag = 'a'"),
        ("''", "flag += 'a'"),
        ("''", "if (params.QUICK) { flag = now() }"),
        ("''", "dir('x') { if (params.QUICK) { flag = 'a' } }"),
        ("''", "withEnv(['A=b']) { if (params.QUICK) { flag = 'a' } }"),
        ("''", "docker.withRegistry('https://example.org') { if (params.QUICK) { flag = 'a' }; sh 'docker push x' }"),
        ("''", "if (params.QUICK) { flag = 'a'; sh 'a | b' }"),
        ("''", "if (params.QUICK) { flag = 'a'; sh '''#!/bin/bash\nmake''' }"),
    ],
)
def test_another_name_with_several_values_stays_groovy(value: str, statements: str) -> None:
    """A shell would read other words, or lose the value at the end of a shell of its own."""
    result, report = _imported(value, statements)

    assert "stays Groovy" in messages(report)
    assert 'sh "make ${flag}"' in result.text


@pytest.mark.parametrize(
    ("command", "is_kept"),
    [
        ("'make $flag'", True),
        ('"make ${flag} \\$flag"', True),
        ("'make $flag; flag=a'", True),
        ("'flag=a; make $flag'", False),
        ("'make $flags'", False),
        ("'make \\\\$(cat flag)'", False),
    ],
)
def test_commands_read_no_variable_of_groovy(command: str, *, is_kept: bool) -> None:
    """Jenkins inserts it, and sets no variable of the environment."""
    result, report = _imported("sh(script: 'cat x', returnStdout: true).trim()", f"sh {command}")
    proof = prove_stages(result)

    assert ("its commands read flag, which only Groovy knows" in messages(report)) is is_kept
    assert (f"sh {command}" in result.text.replace('\\"', '"').replace("\\\\", "\\")) is is_kept
    assert proof is not None
    assert proof.differences == ()


def test_commands_read_no_value_that_only_groovy_assigns() -> None:
    """It is no variable of the environment for the other commands of its stage."""
    text = _SOURCE.replace("def flag = VALUE", "flag = sh(script: 'cat x', returnStdout: true).trim()")
    text = text.replace("STATEMENTS", "sh 'make $flag'")
    result = import_jenkins(SourceFile("Jenkinsfile", text), Report())

    assert "script: [make $flag]" in result.text
    assert "flag=$(cat x)" not in result.text
