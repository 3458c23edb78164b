"""`script` blocks of a Jenkinsfile: commands among other Groovy, and conditions of commands."""

from __future__ import annotations

import re

import pytest
from importing.samples import messages

from pipegen.diagnostics.report import Report, Stopped
from pipegen.importing.jenkins.importer import JenkinsImport, import_jenkins
from pipegen.importing.jenkins.proof import prove_stages
from pipegen.source.text import SourceFile

_SOURCE = """\
pipeline {
    agent any
    parameters { string(name: 'LIST', defaultValue: 'a b'); booleanParam(name: 'QUICK', defaultValue: true) }
    stages {
        stage('a') {
            WHEN
            steps {
                script {
                    STATEMENTS
                }
            }
        }
    }
}
"""


def _imported(statements: str, when: str = "") -> tuple[JenkinsImport, Report]:
    report = Report()
    text = _SOURCE.replace("WHEN", when).replace("STATEMENTS", statements.replace("\n", "\n" + " " * 20))
    return import_jenkins(SourceFile("Jenkinsfile", text), report), report


def _is_same(result: JenkinsImport) -> bool:
    proof = prove_stages(result)
    return proof is not None and not proof.differences


def _entries(result: JenkinsImport) -> str:
    """Return the config without line breaks and indentation."""
    return " ".join(result.text.split())


def test_commands_between_other_groovy_are_a_script() -> None:
    """The Groovy before and after them stays in two blocks, each with the texts that it reads."""
    result, report = _imported(
        "def label = 'v1'\n"
        'def image = "app:${label}"\n'
        "// about the name\n"
        "currentBuild.displayName = image\n"
        'sh "make ${label}" // the work\n'
        "echo image\n"
        "archive(image)\n"
        "def sizes = [1, 2]\n"
        "echo sizes.sum()"
    )

    assert _is_same(result)
    assert "script: # the work - make v1 - echo app:v1" in _entries(result)
    before, _, after = result.text.partition("after:")
    assert before.count("script {") == after.count("script {") == 1
    assert before.count("def image") == after.count("def image") == 1
    assert before.index("# about the name") < before.index("currentBuild.displayName")
    assert "archive(image)" in after
    assert after.index("def sizes") < after.index("echo sizes.sum()")
    assert messages(report).count('"script" of stage "a" stays Groovy') == 2


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ('currentBuild.displayName = "#${BUILD_NUMBER}"', "a config has no name of a build"),
        ("currentBuild.description = 'x'", "a config has no name of a build"),
        ("currentBuild.result = 'UNSTABLE'", "it contains Groovy: currentBuild.result = 'UNSTABLE'"),
        ("def names = ['x', 'y']\necho names", "a list is not text"),
        ("echo acme('x')", '"acme" computes it'),
        ("env.LIST = 'a'; env.LIST = 'b'", "it contains Groovy: env.LIST = 'a'"),
    ],
)
def test_the_reason_for_groovy_names_the_statement(statement: str, reason: str) -> None:
    """A block has many."""
    _, report = _imported(f"sh 'make'\n{statement}")

    assert f'of stage "a" stays Groovy: {reason}\n' in messages(report)


def test_a_divided_block_counts_as_groovy() -> None:
    """Only its commands are translated."""
    result, _ = _imported("sh 'make'\nx = now()")

    constructs = {(path, outcome.value): number for path, outcome, number in result.count.constructs}
    assert constructs["steps:script", "raw"] == 1
    assert constructs["script", "translated"] == 1
    assert constructs["script", "raw"] == 1


@pytest.mark.parametrize(
    "statements",
    [
        "sh 'make'\nif (now()) { return }\narchive()",
        "def day = now()\narchive()\nsh 'make'\necho day.text",
        "Map<String, String> days = now()\nsh 'make'\necho days.text",
        "def (day, hour) = now()\nsh 'make'\nnotify(hour)",
        "def text = ''\nif (now()) { text = 'a' }\nsh \"make ${text}\"",
        'def count = 1\ncount++\narchive()\nsh "make ${count}"',
        'def text = "${env.MODE}"\nenv.MODE = now()\nsh "make ${text}"',
        "def text = sh(script: 'date', returnStdout: true).trim()\nsh 'make'\nnotify(text)",
        "sh 'make'; x = now()",
        "echo 'a'\nx = now()\necho 'b'",
    ],
)
def test_a_block_with_parts_that_depend_on_each_other_stays_groovy(statements: str) -> None:
    """Neither are messages alone worth a division, nor statements on one line."""
    result, _ = _imported(statements)

    assert re.search(r"^ *script:", result.text, re.MULTILINE) is None
    assert all(line in result.text for line in statements.split("\n"))


def test_a_variable_that_groovy_sets_may_be_empty_and_not_null() -> None:
    """A shell does not tell the two apart."""
    result, _ = _imported("env.X = compute()\nsh 'make'\nif (env.X == null) { sh 'one' }")

    assert "if (env.X == null) { sh 'one' }" in result.text
    assert "script: [make]" in result.text


def test_the_part_with_most_commands_becomes_the_script() -> None:
    """What is before it stays Groovy, also its commands."""
    result, _ = _imported("sh './first'\nx = now()\nsh './second'\nsh './third'\nnotify('end')")

    assert _is_same(result)
    assert "script: - ./second - ./third" in _entries(result)
    assert "sh './first'" in result.text


@pytest.mark.parametrize(
    ("condition", "command"),
    [
        ("text == 'a'", '[ "${text}" = a ]'),
        ('"${text}" == "a"', '[ "${text}" = a ]'),
        ("\"$params.LIST\" != 'a'", '[ "${inputs.LIST}" != a ]'),
        ("text != ''", '[ -n "${text}" ]'),
        ("!text", '[ -z "${text}" ]'),
        ("text.isEmpty()", '[ -z "${text}" ]'),
        ("text.contains('*')", "case \"${text}\" in (*'*'*) true ;; (*) false ;; esac"),
        ("!text.startsWith('v')", 'case "${text}" in (v*) false ;; (*) true ;; esac'),
        ("env.JOB_NAME.endsWith('/x')", 'case "${JOB_NAME}" in (*/x) true ;; (*) false ;; esac'),
        ("params.LIST.contains('b')", 'case "${inputs.LIST}" in (*b*) true ;; (*) false ;; esac'),
        ("fileExists('a b')", "[ -e 'a b' ]"),
        ("!fileExists('a') && text", '[ ! -e a ] && [ -n "${text}" ]'),
        (
            "text && (text == 'a' || params.LIST == 'b')",
            '[ -n "${text}" ] && { [ "${text}" = a ] || [ "${inputs.LIST}" = b ]; }',
        ),
        ("text == 'a' && fileExists('a') || !text", '{ [ "${text}" = a ] && [ -e a ]; } || [ -z "${text}" ]'),
        ("!(text == 'a' || fileExists('b'))", '! { [ "${text}" = a ] || [ -e b ]; }'),
        ("!(!(text == 'a'))", '[ "${text}" = a ]'),
        ("sh(script: 'test -d a', returnStatus: true) == 0", "test -d a"),
        ("sh(returnStatus: true, script: 'cd a && make') != 0", "! (cd a && make)"),
        ("sh(returnStatus: true, script: 'exit 2') == 0", "(exit 2)"),
        ("sh(returnStatus: true, script: '! make') != 0", "! (! make)"),
    ],
)
def test_a_condition_is_a_command_of_the_shell(condition: str, command: str) -> None:
    """Variables of the block, files, and the results of commands are known there."""
    result, report = _imported(
        f"def text = sh(script: 'cat x', returnStdout: true).trim()\nif ({condition}) {{ sh './deploy' }}"
    )

    assert _is_same(result)
    assert messages(report) == ""
    assert f"if {command}; then" in result.text


@pytest.mark.parametrize(
    "condition",
    [
        "text == null",
        "text.toBoolean()",
        "text == true",
        "env.BRANCH_NAME.contains('R-1')",
        "env.BRANCH_NAME.endsWith('1')",
        "env.BRANCH_NAME.startsWith('v')",
        "env.BRANCH_NAME == 'v1.0'",
        "!env.BRANCH_NAME.startsWith('v1.')",
        "sh(returnStatus: true, script: 'a; b') == 0",
        "sh(returnStatus: true, script: 'a\\nb') == 0",
        "sh(returnStatus: true, script: 'a \\\\') == 0",
        "sh(returnStatus: true, script: '#!/bin/bash -e\\na') == 0",
        "sh(returnStatus: true, script: 'a') == 2",
        "sh(returnStdout: true, script: 'a') == 0",
        "sh(returnStatus: true, script: 'a')",
        'fileExists("${text}")',
        "\"${params.QUICK}\" == 'true'",
        "\"${env.JOB_NAME}\" == ''",
        "\"x${text}\" == 'xa'",
        "\"${text.trim()}\" == 'a'",
        "\"$params.LIST\".contains('a')",
    ],
)
def test_another_condition_stays_groovy(condition: str) -> None:
    """A shell would decide otherwise, or go on after a failure."""
    result, report = _imported(
        f"def text = sh(script: 'cat x', returnStdout: true).trim()\nif ({condition}) {{ sh './deploy' }}"
    )

    assert "stays Groovy" in messages(report)
    assert "fi\n" not in result.text


def test_a_failure_is_accepted_if_the_status_is_not_read() -> None:
    """A step `sh` that returns its status does not fail."""
    result, _ = _imported("sh(script: 'cd a && make', returnStatus: true)\nsh(script: 'make', returnStatus: true)")

    assert _is_same(result)
    assert "((cd a && make) || true)" in result.text
    assert ", make || true]" in result.text


def test_a_status_of_several_commands_stays_groovy() -> None:
    """The first failure ends a step `sh`."""
    result, _ = _imported("sh(script: 'a; b', returnStatus: true)")

    assert "returnStatus: true" in result.text


def test_commands_for_unix_are_the_script() -> None:
    """Those for Windows are reported: all scripts are for Unix."""
    result, report = _imported("if (isUnix()) {\n    sh './a'\n    sh './b'\n} else {\n    bat 'c'\n}")

    constructs = {(path, outcome.value): number for path, outcome, number in result.count.constructs}
    assert _is_same(result)
    assert "script: [./a, ./b]" in result.text
    assert "the steps for agents with Windows are left out" in messages(report)
    assert constructs["script", "reported"] == 2


def test_a_comment_about_commands_for_unix_is_above_them() -> None:
    """The `if` is left out, its comment is not."""
    result, _ = _imported("// Both systems\nif (isUnix()) {\n    // The first\n    sh './a'\n    sh './b'\n}")

    assert "# Both systems # The first - ./a - ./b" in " ".join(result.text.split())


def test_commands_for_unix_on_agents_with_windows_stay_groovy() -> None:
    """The label says that the other commands run."""
    report = Report()
    text = _SOURCE.replace("agent any", "agent { label 'windows' }").replace("WHEN", "")
    text = text.replace("STATEMENTS", "if (isUnix()) { sh './a' } else { bat 'c' }")
    result = import_jenkins(SourceFile("Jenkinsfile", text), report)

    assert "bat 'c'" in result.text
    assert "its agent may have Windows" in messages(report)


def test_blocks_of_steps_have_conditions_and_values() -> None:
    """They are in the folder, and know the variables, of the block."""
    result, report = _imported(
        "dir('sub') {\n"
        "    def text = sh(script: 'cat x', returnStdout: true).trim()\n"
        "    if (text == 'a') { sh './a' }\n"
        "    withEnv(['B=c']) { if (fileExists('y')) { sh './b' } }\n"
        "}"
    )

    assert _is_same(result)
    assert messages(report) == ""
    assert "text=$( mkdir -p sub && cd sub cat x )" in _entries(result)
    assert 'cd sub if [ "${text}" = a ]; then' in _entries(result)
    assert 'export B="c" if [ -e y ]; then' in _entries(result)


@pytest.mark.parametrize(
    ("test", "condition"),
    [
        ("params.LIST.contains('b')", "inputs: { LIST: /b/ }"),
        ("\"${env.BRANCH_NAME}\" == 'dev'", "branch: dev"),
        ("env.BRANCH_NAME.endsWith('-x.y')", "branch: /\\-x\\.y$/"),
        ("env.BRANCH_NAME.contains('feature')", "branch: /feature/"),
    ],
)
def test_parts_of_texts_are_patterns_of_conditions(test: str, condition: str) -> None:
    """The pattern matches the part, and no other text."""
    result, _ = _imported("sh 'make'", f"when {{ expression {{ {test} }} }}")

    assert _is_same(result)
    assert f"when: {{ {condition} }}" in result.text


@pytest.mark.parametrize("part", ["P", "PR", "R-", "-1", "23"])
def test_a_part_of_the_name_of_a_change_request_is_no_condition(part: str) -> None:
    """The branch of a config is empty there."""
    result, _ = _imported("sh 'make'", f"when {{ expression {{ env.BRANCH_NAME.contains('{part}') }} }}")

    assert "branch:" not in result.text
    assert f"if (env.BRANCH_NAME.contains('{part}'))" in result.text


@pytest.mark.parametrize(
    ("step", "command"),
    [
        ("docker.build('org/app')", "docker build -t org/app ."),
        ("def image = docker.build('app', '--pull docs')", "docker build -t app --pull docs"),
        ('docker.build("app:${env.BUILD_NUMBER}", "-f ${env.JOB_NAME} .")', '"app:${setup.run}" -f ${JOB_NAME} .'),
    ],
)
def test_a_build_of_an_image_is_a_command(step: str, command: str) -> None:
    """The plugin runs the same command."""
    result, report = _imported(f"{step}\nsh 'make'")

    assert _is_same(result)
    assert messages(report) == ""
    assert command in result.text


@pytest.mark.parametrize(
    "statements",
    [
        "def image = docker.build('app')\nx = now()\nimage.push()",
        "def image = docker.build('app')\nsh \"make ${image.id} ${image}\"",
        "image = docker.build('app')",
        "def LIST = docker.build('app')\nsh \"make ${LIST}\"",
        "docker.build()",
        "docker.build('a', 'b', 'c')",
    ],
)
def test_a_build_of_an_image_that_other_groovy_reads_stays_groovy(statements: str) -> None:
    """Only Groovy has the image as an object."""
    result, _ = _imported(statements)

    assert all(line in result.text for line in statements.split("\n"))
    assert "docker build" not in result.text


_UNBRACED = """\
if (params.LIST == 'a')
    sh 'one'
else if (params.QUICK) sh 'two'; else
    sh 'three'
sh 'four'"""


def test_a_statement_without_braces_is_the_body_of_its_condition() -> None:
    """It can be on the next line."""
    result, _ = _imported(_UNBRACED)

    lines = 'if [ "${inputs.LIST}" = a ]; then one elif [ "${inputs.QUICK}" = true ]; then two else three fi - four'
    assert lines in _entries(result)


@pytest.mark.parametrize("head", [r"if (!(params.LIST ==~ /\d+/))", "for (name in ['a', 'b'])", "while (isRed())"])
def test_a_statement_without_braces_stays_groovy_with_its_head(head: str) -> None:
    """The commands after it do not."""
    result, _ = _imported(f"{head}\n    error('wrong')\nsh 'make'")

    assert "script: [make]" in result.text
    assert f"{head} error('wrong') }}" in _entries(result)


def test_too_many_statements_in_each_other_are_refused() -> None:
    """Reading them takes a call for each."""
    report = Report()
    text = _SOURCE.replace("WHEN", "").replace("STATEMENTS", f"{'if (a) ' * 400}sh 'make'")
    with pytest.raises(Stopped):
        import_jenkins(SourceFile("Jenkinsfile", text), report)

    assert "too many statements are in each other without braces" in messages(report)


def test_the_status_of_a_command_is_a_variable_of_the_shell() -> None:
    """It is the number with which the command ends."""
    result, _ = _imported(
        "def code = sh(returnStatus: true, script: 'make a && make b')\n"
        'if (code != 0) { error "failed: ${code}" }\n'
        "def found = sh(script: 'grep x y', returnStatus: true)\n"
        "if (found == 1) { sh 'make x' }"
    )

    assert "code=0 (make a && make b) || code=$?" in _entries(result)
    assert 'if [ "${code}" != 0 ]; then echo "failed: ${code}" >&2 exit 1 fi' in _entries(result)
    assert 'found=0 grep x y || found=$? - |- if [ "${found}" = 1 ]; then' in _entries(result)
    assert _is_same(result)


@pytest.mark.parametrize(
    "statements",
    [
        # Groovy compares a number with a text.
        "def code = sh(returnStatus: true, script: 'x')\nif (code == '0') { sh 'y' }",
        "def code = sh(returnStdout: true, script: 'x').trim()\nif (code == 0) { sh 'y' }",
        "def code = sh(returnStatus: true, script: 'x')\ndef text = \"${code}\"\nif (text == 0) { sh 'y' }",
        "if (params.LIST == 0) { sh 'y' }",
        # A shell that ignores the failure of the first command runs the other.
        "def code = sh(returnStatus: true, script: 'x; y')\nif (code == 0) { sh 'y' }",
        "dir('a') { script {\n    def code = sh(returnStatus: true, script: 'x')\n    exit(code)\n} }",
    ],
)
def test_another_status_stays_groovy(statements: str) -> None:
    """The condition would hold in other cases."""
    result, _ = _imported(statements)

    assert "code=$?" not in result.text
    assert "if [" not in result.text
    assert _is_same(result)


@pytest.mark.parametrize(("number", "is_kept"), [(50, False), (51, True), (900, True)])
def test_an_if_with_many_branches_stays_groovy(number: int, *, is_kept: bool) -> None:
    """Each branch is in the `else` of the one before, which would exceed Python's depth of calls."""
    branches = [f"if (params.LIST == 'x{branch}') {{ sh 'a' }}" for branch in range(number)]
    _, report = _imported(" else ".join(branches))

    assert ("stays Groovy" in messages(report) or "too large" in messages(report)) is is_kept
