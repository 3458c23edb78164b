"""Imports of a Jenkinsfile with values of the run in keys of a config that take plain text."""

from __future__ import annotations

import pytest
from importing.samples import messages

from pipegen.diagnostics.report import Report
from pipegen.importing.jenkins.importer import JenkinsImport, import_jenkins
from pipegen.source.text import SourceFile

_SOURCE = """\
pipeline {
    agent any
    parameters { string(name: 'SITE', defaultValue: 'one') }
    environment { AREA = 'blue' }
    stages {
        stage('A') {
            DIRECTIVE
            steps { STEPS }
        }
    }
}
"""
_LEFT_OUT = '"{}" of "input" is left out: its text is known only at run time'


def _imported(directive: str, steps: str = "sh 'make'") -> tuple[JenkinsImport, str]:
    report = Report()
    source = _SOURCE.replace("DIRECTIVE", directive).replace("STEPS", steps)
    return import_jenkins(SourceFile("Jenkinsfile", source), report), messages(report)


@pytest.mark.parametrize(
    ("settings", "approve", "message"),
    [
        ("message 'Go?'; submitter 'ops, dev'", '{ message: "Go?", approvers: [ops, dev] }', ""),
        ('message "Use $AREA?"', '{ message: "Use blue?" }', ""),
        ("message \"Use ${params.SITE}?\"; submitter 'ops'", "{ approvers: [ops] }", _LEFT_OUT.format("message")),
        ("message 'Go?'; submitter \"${env.BRANCH_NAME}\"", '{ message: "Go?" }', _LEFT_OUT.format("submitter")),
        ('message "Use ${env.NAME}?"', "true", "the value of NAME is known only on the agent"),
        ('message "Use ${name()}?"', "true", "it contains Groovy: name()"),
        ("message 'Go?' submitter 'ops'", "true", "it contains Groovy: 'Go?' submitter 'ops'"),
    ],
)
def test_an_approval_without_its_values_of_the_run(settings: str, approve: str, message: str) -> None:
    """The stage still asks, because other values are in the config; the message has the reason."""
    result, reported = _imported(f"input {{ {settings} }}")

    assert f"approve: {approve}" in result.text
    assert message in reported
    assert bool(message) is ("PG850" in reported)


@pytest.mark.parametrize(
    ("directive", "steps", "groovy"),
    [
        ('options { lock(resource: "db-${params.SITE}") }', "sh 'make'", 'lock(resource: "db-${params.SITE}")'),
        ("", "lock(\"db-${env.BRANCH_NAME}\") { sh 'make' }", "lock"),
        ("", "input \"Use ${params.SITE}?\"; sh 'make'", 'input "Use ${params.SITE}?"'),
    ],
)
def test_steps_with_values_of_the_run_stay_groovy(directive: str, steps: str, groovy: str) -> None:
    """In a key of plain text, the reference would be the text."""
    result, _ = _imported(directive, steps)

    assert groovy in result.text.partition("steps:")[2]
    assert "${inputs." not in result.text
    assert "${setup." not in result.text


def test_a_lock_with_a_constant_is_a_key() -> None:
    """The value is in the file."""
    result, reported = _imported('options { lock("db-$AREA") }')

    assert "lock: db-blue" in result.text
    assert reported == ""


_OPTIONS = """\
pipeline {
    agent none
    PARAMETERS
    OPTIONS
    stages {
        stage('A') { agent any; steps { sh 'a' } }
        stage('B') { agent any; steps { sh 'b' } }
    }
}
"""


@pytest.mark.parametrize(
    ("names", "left_out", "kept"),
    [
        # An input that a config refuses becomes another parameter, before the one that was refused first.
        (["string(name: 'CI_X')", "choice(name: '9', choices: [])"], ["choice(name: '9', choices: [])"], ["CI_X"]),
        (["custom(name: '9')", "custom(name: 'B')", "string(name: 'a b')"], ["custom(name: '9')"], ["B"]),
    ],
)
def test_refused_items_of_a_setting_are_known_by_their_text(
    names: list[str], left_out: list[str], kept: list[str]
) -> None:
    """Their numbers change when others are left out, or added, in a further attempt."""
    report = Report()
    source = _OPTIONS.replace("PARAMETERS", f"parameters {{ {'; '.join(names)} }}").replace("OPTIONS", "")
    result = import_jenkins(SourceFile("Jenkinsfile", source), report)

    assert not result.compiled.has_errors
    assert all(text not in result.text for text in left_out)
    assert all(name in result.text for name in kept)


def test_refused_options_are_left_out_of_a_long_list() -> None:
    """The others stay, whatever the number of digits of their numbers."""
    options = [f"known{number}()" if number not in (2, 10) else f"quietPeriod({number})" for number in range(12)]
    report = Report()
    source = _OPTIONS.replace("PARAMETERS", "").replace(
        "OPTIONS", f"options {{ withAWS(region: 'x'); {'; '.join(options)} }}"
    )
    result = import_jenkins(SourceFile("Jenkinsfile", source), report)

    assert not result.compiled.has_errors
    assert [name for name in options if name in result.text] == [name for name in options if "known" in name]


_TWO = """\
def tell(text) { send "${text} ${currentBuild.result}"; send 'done' }
pipeline {
    agent any
    stages { stage('a') { steps { sh 'a' } }; stage('b') { steps { sh 'b' } } }
    post { always { STEP } }
}
"""


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ('note "x ${currentBuild.currentResult}"', 'note "x ${RESULT}"'),
        ('note "x $currentBuild.result"', 'note "x ${RESULT}"'),
        ("note(currentBuild.result == 'FAILURE')", "note(RESULT == 'FAILURE')"),
        ("script { currentBuild.result = 'UNSTABLE' }", "    currentBuild.result = 'UNSTABLE'"),
    ],
)
def test_steps_after_a_failed_build_know_its_result(step: str, expected: str) -> None:
    """A scripted pipeline, which stages with one workspace become, gets its result after them."""
    result = import_jenkins(SourceFile("Jenkinsfile", _TWO.replace("STEP", step)), Report())

    known = "(env.STATUS == 'failed' ? 'FAILURE' : currentBuild.currentResult)"
    assert expected.replace("RESULT", known) in result.generated[-1].text
    assert ("${pipeline.status}" in result.text) is ("RESULT" in expected)


def test_functions_that_read_the_result_of_a_failed_build_are_reported() -> None:
    """It is an argument only of calls in the steps themselves."""
    report = Report()
    import_jenkins(SourceFile("Jenkinsfile", _TWO.replace("STEP", "tell('x')")), report)

    assert "functions that these steps call read a result that is not yet set" in messages(report)


_CAUSE = "pipeline { agent any; stages { stage('a') { when { WHEN }; steps { sh 'make' } } } }"


@pytest.mark.parametrize(
    ("when", "is_reported"),
    [
        ("triggeredBy 'UserIdCause'", True),
        ("changeRequest(); triggeredBy cause: 'UserIdCause'", True),
        ("branch 'main'; triggeredBy 'UserIdCause'", False),
        ("anyOf { changeRequest(); triggeredBy 'UserIdCause' }", False),
        ("not { triggeredBy 'TimerTrigger' }", False),
    ],
)
def test_causes_of_builds_of_change_requests_are_reported(when: str, is_reported: bool) -> None:  # noqa: FBT001
    """A person can start one; its event is that of a change request."""
    report = Report()
    import_jenkins(SourceFile("Jenkinsfile", _CAUSE.replace("WHEN", when)), report)

    assert ('"triggeredBy" also finds the person' in messages(report)) is is_reported
