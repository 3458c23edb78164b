"""Directives of a Jenkinsfile around several stages, and in matrices: variables of their conditions, and labels."""

from __future__ import annotations

import pytest
from importing.samples import messages

from pipegen.diagnostics.report import Report
from pipegen.importing.jenkins.importer import JenkinsImport, import_jenkins
from pipegen.importing.jenkins.proof import prove_stages
from pipegen.source.text import SourceFile

_GROUP = """\
pipeline {
    agent any
    stages {
        stage('G') {
            GROUP
            stages {
                stage('A') { STAGE; when { environment name: 'LEVEL', value: 'full' }; steps { sh 'a' } }
                stage('B') { steps { sh 'b' } }
            }
        }
    }
}
"""
_MATRIX = """\
pipeline {
    agent none
    stages {
        stage('M') {
            matrix {
                agent { label "LABEL" }
                axes { axis { name 'OS'; values 'linux', 'mac' } }
                stages { stage('A') { steps { sh 'a' } } }
            }
        }
    }
}
"""


def _imported(text: str) -> tuple[JenkinsImport, str]:
    report = Report()
    result = import_jenkins(SourceFile("Jenkinsfile", text), report)
    proof = prove_stages(result)
    return result, f"{messages(report)}\n{proof.words if proof is not None else ''}".strip()


@pytest.mark.parametrize(
    ("group", "stage", "runs"),
    [
        ("environment { LEVEL = 'full' }", "", True),
        ("environment { LEVEL = 'quick' }", "environment { LEVEL = 'full' }", False),
        ("environment { LEVEL = 'full' }", "environment { LEVEL = 'quick' }", True),
    ],
)
def test_a_condition_reads_variables_of_the_stages_around_its_own(group: str, stage: str, *, runs: bool) -> None:
    """Jenkins sets those of the stage after its condition. The comparison of runs knows that, too."""
    result, reported = _imported(_GROUP.replace("GROUP", group).replace("STAGE; ", f"{stage}; " if stage else ""))

    assert ("name: A" in result.text) is runs
    assert "the same for" in reported.splitlines()[-1]


@pytest.mark.parametrize(
    ("label", "agent"),
    [
        ("${OS}", "agent: ${matrix.OS}"),
        ("${OS}-large && docker", 'agent: ["${matrix.OS}-large", docker]'),
        ("${OS} || docker", ""),
        ("${params.OS}", ""),
    ],
)
def test_a_label_contains_values_of_a_matrix(label: str, agent: str) -> None:
    """Values that are known only at run time, and other operators, are reported."""
    result, reported = _imported(_MATRIX.replace("LABEL", label))

    assert agent in result.text
    assert ("agent:" in result.text) is bool(agent)
    assert ('PG850] "label" is left out' in reported) is not bool(agent)
    assert reported.endswith("the same for 9 events")


def test_a_second_pipeline_is_reported() -> None:
    """Jenkins runs the first one, and the config has its stages only."""
    first, second = (
        f"pipeline {{ agent any; stages {{ stage('{name}') {{ steps {{ sh 'x' }} }} }} }}" for name in "AB"
    )
    report = Report()
    result = import_jenkins(SourceFile("Jenkinsfile", f"{first}\n{second}\n"), report)

    assert "name: A" in result.text
    assert "definitions" not in result.text
    assert 'Jenkinsfile:2:1: warning[PG850] "pipeline" is left out' in messages(report)


def test_a_condition_does_not_know_the_variables_of_its_own_stage() -> None:
    """It tests the variable of Jenkins; in Groovy around the steps, it would read that of the stage."""
    stage = "stage('A') { environment { LEVEL = 'full' }; when { WHEN }; steps { sh 'a' } }"
    text = f"pipeline {{ agent any; stages {{ {stage}; stage('B') {{ steps {{ sh 'b' }} }} }} }}"

    result, reported = _imported(text.replace("WHEN", "environment name: 'LEVEL', value: 'full'"))
    assert "when: { env: { LEVEL: full } }" in result.text
    assert reported.splitlines()[-1].startswith("the same for")

    result, reported = _imported(text.replace("WHEN", "expression { env.LEVEL.size() == 4 }"))
    assert "around" not in result.text
    assert 'Stage "A" runs without it' in reported


def test_conditions_on_the_branch_read_a_variable_of_the_pipeline() -> None:
    """Jenkins compares what "environment" sets, also with the name of the branch."""
    stages = (
        "stage('A') { when { branch 'main' }; steps { sh 'a' } }",
        "stage('B') { when { branch 'other' }; steps { sh 'b' } }",
    )
    environment = "environment { BRANCH_NAME = 'main' }"
    result, reported = _imported(f"pipeline {{ agent any; {environment}; stages {{ {'; '.join(stages)} }} }}")

    assert "stages: [{ name: A, env: { BRANCH_NAME: main }, script: [a] }]" in result.text
    assert reported.splitlines()[-1].startswith("the same for")


def test_the_only_stage_does_nothing_if_it_never_runs() -> None:
    """A config has at least one stage."""
    stage = "stage('A') { when { environment name: 'MODE', value: 'y' }; steps { sh 'a' } }"
    result, reported = _imported(f"pipeline {{ agent any; environment {{ MODE = 'x' }}; stages {{ {stage} }} }}")

    assert 'stages: [{ name: A, script: ["true"] }]' in result.text
    assert 'stage "A" is left out: its condition never holds' in reported


def test_a_condition_of_a_matrix_with_several_stages_excludes_combinations() -> None:
    """It concerns all of its stages; one of a single stage stays Groovy, as others have its combinations."""
    when = "when { environment name: 'OS', value: 'linux' }"
    both = _MATRIX.replace("steps { sh 'a' } }", "steps { sh 'a' } }; stage('B') { steps { sh 'b' } }")
    result, reported = _imported(both.replace("stages { stage('A')", f"{when}; stages {{ stage('A')"))

    assert "matrix: { OS: [linux, mac], exclude: [{ OS: mac }] }" in result.text
    assert "matrix: { from: A }" in result.text
    assert "around" not in result.text
    assert reported.splitlines()[-1].startswith("the same for")
    result, _ = _imported(both.replace("stage('B') {", f"stage('B') {{ {when};"))
    assert "around: [if (env.OS == 'linux')]" in result.text
