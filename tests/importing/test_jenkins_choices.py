"""Choices between two values in a `script` block (`condition ? first : other`), and tests of texts without blanks."""

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
    parameters {
        string(name: 'TAG', defaultValue: 'latest')
        booleanParam(name: 'DRY')
        choice(name: 'PLACE', choices: ['test', 'live'])
    }
    stages {
        stage('build') { steps { script { BLOCK } } }
        stage('other') { steps { sh './other' } }
    }
}
"""
_INNER = '  if [ -n "${B}" ]; then\n    echo "${B:-null}"\n  else\n    echo x\n  fi'
_NOT_BLANK = "printf %s \"${inputs.TAG}\" | grep -q '[^[:space:]]'"


def _imported(text: str) -> tuple[JenkinsImport, Report]:
    report = Report()
    result = import_jenkins(SourceFile("Jenkinsfile", text), report)
    proof = prove_stages(result)

    assert proof is not None
    assert proof.differences == ()
    return result, report


@pytest.mark.parametrize(
    ("value", "command"),
    [
        (
            "params.PLACE == 'live' ? 'a.org' : \"b.org/${env.BUILD_NUMBER}\"",
            'if [ "${inputs.PLACE}" = live ]; then\n  echo a.org\nelse\n  echo "b.org/${setup.run}"\nfi',
        ),
        (
            "(params.DRY) ? '--dry-run now' : ''",
            "if [ \"${inputs.DRY}\" = true ]; then\n  printf '%s\\n' '--dry-run now'\nelse\n  echo ''\nfi",
        ),
        (
            "env.A == 'a' ? 'x' : env.A == 'b' ?\n 'y' : 'z'",
            'if [ "${A}" = a ]; then\n  echo x\nelif [ "${A}" = b ]; then\n  echo y\nelse\n  echo z\nfi',
        ),
        (
            "env.A ? (env.B ?: 'x') : 'y'",
            f'if [ -n "${{A}}" ]; then\n{_INNER}\nelse\n  echo y\nfi',
        ),
        ("params.TAG ?: 'none'", 'if [ -n "${inputs.TAG}" ]; then\n  echo "${inputs.TAG}"\nelse\n  echo none\nfi'),
        (
            "params.TAG?.trim() ? params.TAG : 'none'",
            f'if {_NOT_BLANK}; then\n  echo "${{inputs.TAG}}"\nelse\n  echo none\nfi',
        ),
    ],
)
def test_a_choice_is_what_a_command_prints(value: str, command: str) -> None:
    """Later commands of the block read it as a variable of the shell."""
    result, report = _imported(_SOURCE.replace("BLOCK", f'def x = {value}; sh "make ${{x}}"'))
    work = result.config.drafts[0].work

    assert messages(report) == ""
    assert [(each.variable, each.text) for each in work.commands] == [("x", command), ("", "make ${x}")]


def test_a_choice_of_the_environment_is_an_output() -> None:
    """Later stages read it."""
    block = "env.PLACE_URL = params.DRY ? 'a.org' : 'b.org'"
    text = _SOURCE.replace("BLOCK", block).replace("./other", "./other $PLACE_URL")
    result, report = _imported(text)

    assert messages(report) == ""
    assert "outputs: [PLACE_URL]" in result.text
    assert 'PLACE_URL: "${build.PLACE_URL}"' in result.text


@pytest.mark.parametrize(
    "block",
    [
        "def x = params.DRY ? '-n \"a b\"' : ''; sh \"make ${x}\"",
        "def x = params.UNKNOWN ? 'a' : 'b'; sh \"make ${x}\"",
        "def x = isUnix() ? 'a' : 'b'; sh \"make ${x}\"",
        "def x = params.DRY ? now() : 'b'; sh \"make ${x}\"",
        "def x = 'a' + (params.DRY ? 'b' : 'c'); sh \"make ${x}\"",
        "def x = params.DRY ? 'a' : 'b'; acmeLogin(x)",
        "if (params.TAG?.trim() == 'a') { sh 'make' }",
    ],
)
def test_another_choice_stays_groovy(block: str) -> None:
    """The shell would read signs in a value as text, or Groovy knows more than a test of the shell."""
    result, _ = _imported(_SOURCE.replace("BLOCK", block))

    assert f"script {{ {block}" in result.text.replace("''", "'").replace('\\"', '"').replace("\n", " ")


@pytest.mark.parametrize(
    ("condition", "test"),
    [
        ("params.TAG?.trim()", _NOT_BLANK),
        ("!params.TAG?.trim()", f"! {_NOT_BLANK}"),
    ],
)
def test_a_text_of_blanks_counts_as_empty(condition: str, test: str) -> None:
    """`trim()` leaves nothing of it."""
    result, _ = _imported(_SOURCE.replace("BLOCK", f"if ({condition}) {{ sh './release' }}"))
    (command,) = result.config.drafts[0].work.commands

    assert command.text == f"if {test}; then\n  ./release\nfi"


def test_a_condition_of_a_stage_finds_a_sign_that_is_no_blank() -> None:
    """A stage with this condition also runs for texts with blanks around others."""
    when = "when { expression { params.TAG?.trim() } }\n            steps { sh './other' }"
    text = _SOURCE.replace("script { BLOCK }", "sh './build'").replace("steps { sh './other' }", f"\n{when}")
    result, _ = _imported(text)

    assert "when: { inputs: { TAG: /\\S/ } }" in result.text
