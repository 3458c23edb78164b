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
        ("", "environment { LEVEL = 'full' }", True),
        ("environment { LEVEL = 'quick' }", "environment { LEVEL = 'full' }", True),
        ("environment { LEVEL = 'full' }", "environment { LEVEL = 'quick' }", False),
    ],
)
def test_a_condition_reads_variables_of_its_stage_and_of_those_around_it(group: str, stage: str, *, runs: bool) -> None:
    """The comparison of runs knows them, too: the inner one counts."""
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
