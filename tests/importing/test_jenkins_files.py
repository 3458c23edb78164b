"""Files that several steps of a stage keep, in imports of a Jenkinsfile: a stage of a config has one list of them."""

from __future__ import annotations

import pytest
from importing.samples import messages

from pipegen.diagnostics.report import Report
from pipegen.importing.accounting import KeyOutcome
from pipegen.importing.jenkins.importer import JenkinsImport, import_jenkins
from pipegen.importing.jenkins.proof import prove_stages
from pipegen.source.text import SourceFile

_SOURCE = """\
pipeline {
    agent none
    stages {
        stage('Build') { agent any
            steps {
                sh 'make'
                STEPS
            }
            post { success {
                POST
            } }
        }
        stage('Use') { agent any
            steps {
                unstash 'out'
                sh 'cat o/x'
            }
        }
    }
}
"""
_STASH = "stash name: 'out', includes: 'o/**'"
_ARCHIVE = "archiveArtifacts artifacts: 'o/**', excludes: 'o/x'"


def _imported(steps: str, post: str) -> tuple[JenkinsImport, str]:
    report = Report()
    source = _SOURCE.replace("STEPS", steps).replace("POST", post)
    return import_jenkins(SourceFile("Jenkinsfile", source), report), messages(report)


def _differences(result: JenkinsImport) -> object:
    proof = prove_stages(result)
    return proof.differences if proof is not None else None


def test_an_archive_that_excludes_files_of_a_stash_stays_groovy() -> None:
    """Later stages get all files of the stash."""
    result, reported = _imported(_STASH, _ARCHIVE)

    assert _ARCHIVE in result.text
    assert "artifacts: { paths: [o/**], keep: false }" in result.text
    assert (
        '"archiveArtifacts" of stage "Build" stays Groovy: it excludes other files than a stash of the stage'
        in reported
    )


@pytest.mark.parametrize(
    ("steps", "step"),
    [
        (f"{_ARCHIVE}; {_STASH}", "archiveArtifacts"),
        (f"{_STASH}; stash name: 'rest', includes: 'o/**', excludes: 'o/x'", "stash"),
        (f"stash name: 'rest', includes: 'o/**,p', excludes: 'o/x'; {_STASH}", "stash"),
    ],
    ids=["after an archive", "first", "second"],
)
def test_a_stash_has_the_files_that_another_step_excludes(steps: str, step: str) -> None:
    """That step keeps them as well, which is reported."""
    result, reported = _imported(steps, "echo 'done'")

    assert "exclude" not in result.text
    assert f'warning[PG850] "excludes" of "{step}" is left out for "o/x": another step of the stage keeps' in reported


@pytest.mark.parametrize("post", ["archiveArtifacts artifacts: 'logs/*', excludes: 'logs/x'", _ARCHIVE])
def test_excludes_of_other_or_all_files_stay(post: str) -> None:
    """They concern one step, or are those of both."""
    stash = "stash name: 'out', includes: 'o/**', excludes: 'o/x'" if post == _ARCHIVE else _STASH
    result, reported = _imported(stash, post)

    assert f"exclude: [{'o/x' if post == _ARCHIVE else 'logs/x'}]" in result.text
    assert "excludes" not in reported


def test_a_backslash_in_a_path_is_a_slash() -> None:
    """Ant reads both as the separator of the system, and a config has only slashes."""
    archive = r"archiveArtifacts artifacts: 'build\\libs\\*.jar, build/log'"
    result, _ = _imported(archive, "echo 'built'")

    assert "artifacts: [build/libs/*.jar, build/log]" in result.text
    assert _differences(result) == ()


def test_a_key_that_a_config_refuses_leaves_the_groovy_of_its_stage() -> None:
    """Its other constructs count as left out."""
    result, reported = _imported("acme()", "archiveArtifacts artifacts: '../x'")

    assert '"artifacts" of stage "Build" is left out' in reported
    assert "steps: { jenkins: [acme()], elsewhere: skip }" in result.text
    assert result.count.number(KeyOutcome.RAW) == 1
    assert _differences(result) == ()
