"""Conditions on axes of a matrix of a Jenkinsfile."""

from __future__ import annotations

import pytest
from importing.samples import messages

from pipegen.diagnostics.report import Report, Stopped
from pipegen.importing.jenkins.importer import import_jenkins
from pipegen.importing.jenkins.proof import prove_stages
from pipegen.source.text import SourceFile

_MATRIX = """\
pipeline {
    agent any
    stages {
        stage('M') {
            matrix {
                axes {
                    axis { name 'OS'; values 'linux', 'mac', 'windows' }
                    axis { name 'ARCH'; values 'x86', 'arm' }
                }
                stages {
                    stage('A') { when { WHEN }; steps { sh 'make $OS' } }
                    OTHER
                }
            }
        }
    }
}
"""


@pytest.mark.parametrize(
    ("when", "excluded", "condition"),
    [
        ("expression { env.OS != 'mac' }", "[{ OS: mac }]", ""),
        ("environment name: 'OS', value: 'linux'", "[{ OS: mac }, { OS: windows }]", ""),
        ("expression { OS in ['linux', 'mac'] }", "[{ OS: windows }]", ""),
        (
            "not { allOf { environment name: 'OS', value: 'mac'; equals expected: 'x86', actual: env.ARCH } }",
            "[{ OS: mac, ARCH: x86 }]",
            "",
        ),
        ("branch 'main'; expression { OS == 'linux' || OS == 'mac' }", "[{ OS: windows }]", "branch: main"),
    ],
)
def test_conditions_on_axes_exclude_combinations(when: str, excluded: str, condition: str) -> None:
    """Jenkins skips the stage in these cells."""
    report = Report()
    result = import_jenkins(SourceFile("Jenkinsfile", _MATRIX.replace("WHEN", when).replace("OTHER", "")), report)
    proof = prove_stages(result)

    assert f"exclude: {excluded}" in result.text
    assert ("when: { branch: main }" in result.text) is bool(condition)
    assert "axis of the matrix" not in messages(report)
    assert proof is not None
    assert proof.differences == ()


@pytest.mark.parametrize(
    ("when", "other"),
    [
        ("expression { env.OS == 'linux' }", "stage('B') { steps { sh 'b' } }"),
        ("expression { env.OS == 'linux' && env.BRANCH_NAME == 'main' }", ""),
        ("expression { env.OS == 'bsd' }", ""),
    ],
)
def test_other_conditions_on_axes_are_reported(when: str, other: str) -> None:
    """Other stages have the combinations of the first, a combination has no condition, and a matrix is not empty."""
    report = Report()
    text = _MATRIX.replace("WHEN", when).replace("OTHER", other)
    result = import_jenkins(SourceFile("Jenkinsfile", text), report)

    assert "exclude" not in result.text
    assert "a condition cannot test OS, an axis of the matrix" in messages(report)


def test_post_of_the_pipeline_runs_once_for_all_combinations() -> None:
    """It is no key of their stage, even if it is the only one."""
    source = _MATRIX.replace("WHEN", "branch 'main'").replace("OTHER", "").replace("when { branch 'main' }; ", "")
    report = Report()
    result = import_jenkins(SourceFile("Jenkinsfile", f"{source[:-2]}post {{ failure {{ tell('x') }} }} }}"), report)

    assert "finally: { failed: [on failure] }" in result.text


def test_a_condition_on_an_axis_of_several_stages_stays_groovy() -> None:
    """Only a matrix of one stage excludes combinations; axes are variables around the steps."""
    source = _MATRIX.replace("WHEN", "expression { OS == 'mac' }").replace(
        "OTHER", "stage('B') { steps { sh 'make' } }"
    )
    result = import_jenkins(SourceFile("Jenkinsfile", source), Report())

    assert "around: [if (OS == 'mac')]" in result.text


def test_stages_follow_the_one_before_in_their_cell() -> None:
    """A failure in a cell does not stop others; the first stage may do nothing."""
    stages = "stage('B') { steps { checkout scm } }\nstage('C') { steps { sh 'c' } }\nstage('D') { steps { sh 'd' } }"
    source = _MATRIX.replace("when { WHEN }; steps { sh 'make $OS' }", "steps { cleanWs() }").replace("OTHER", stages)
    report = Report()
    result = import_jenkins(SourceFile("Jenkinsfile", source), report)

    assert result.text.count("matrix: { OS: [linux, mac, windows], ARCH: [x86, arm] }") == 1
    assert "name: D\n        matrix: { from: C }\n" in result.text
    assert messages(report) == ""


@pytest.mark.parametrize("axes", ["", "axes { }", "axes { axis { name 'OS' } }", "axes { axis { values 'a' } }"])
def test_a_matrix_without_axes_is_refused(axes: str) -> None:
    """Jenkins refuses it, too."""
    report = Report()
    stages = f"stage('all') {{ matrix {{ {axes}\nstages {{ stage('A') {{ steps {{ sh 'a' }} }} }} }} }}"
    with pytest.raises(Stopped):
        import_jenkins(SourceFile("Jenkinsfile", f"pipeline {{ agent any\nstages {{ {stages} }} }}"), report)

    assert "its matrix needs axes, each with values" in messages(report)
