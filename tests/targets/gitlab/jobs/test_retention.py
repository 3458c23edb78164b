"""Artifact retention: one https://docs.gitlab.com/ci/yaml/#artifactswhen applies to all paths of a job."""

from __future__ import annotations

from typing import Any

import pytest
from targets.gitlab.compiled import Compiled, compiled

from pipegen.config.schema.file import gitlab_reports

# https://docs.gitlab.com/ci/yaml/artifacts_reports/: the runner compresses them, or stores them in an archive.
_OF_SEVERAL_FILES = ("junit", "cyclonedx", "metrics", "annotations", "lsif")


def scanning(keys: str) -> Compiled:
    """Return a scanner with a SARIF report and *keys*, before a stage that reads its files."""
    return compiled(f"""
        pipelines:
          p:
            stages:
              - {{name: scan, script: [scan], reports: {{sarif: s.sarif}}, {keys}}}
              - {{name: use, script: ['echo "${{scan.v|none}}"']}}
    """)


def artifacts(keys: str) -> Any:
    """Return the artifacts of a scanner with *keys*."""
    return scanning(keys).data["scan"]["artifacts"]


@pytest.mark.parametrize("keys", ["", "artifacts: [dist/]", "allow_failure: true, outputs: [v]"])
def test_the_report_of_a_failing_scanner_is_retained(keys: str) -> None:
    """Scanners exit with 1 when they find something."""
    data = artifacts(keys)

    assert data["when"] == "always"
    assert "s.sarif" in data["paths"]


def test_the_runner_inserts_setup_values_into_paths() -> None:
    """https://docs.gitlab.com/ci/variables/where_variables_can_be_used/ lists `paths` and `exclude`."""
    data = artifacts("artifacts: {paths: ['a-${setup.tag}/*'], exclude: ['d-${setup.commit}'], when: failure}")
    reported = compiled("""
        pipelines:
          p:
            stages:
              - name: a
                script: [x]
                reports: {junit: '${setup.shortCommit}.xml', coverage: 'c-${setup.projectShortName}.xml'}
    """).data["a"]["artifacts"]

    assert (data["paths"], data["exclude"]) == (
        ["a-$CI_COMMIT_TAG/*", "s.sarif"],
        ["d-$CI_COMMIT_SHA", "d-$CI_COMMIT_SHA/**"],
    )
    assert reported["reports"]["junit"] == "$CI_COMMIT_SHORT_SHA.xml"
    assert reported["reports"]["coverage_report"]["path"] == "c-$CI_PROJECT_NAME.xml"


@pytest.mark.parametrize("kind", sorted(gitlab_reports()))
def test_reports_have_the_names_of_gitlab(kind: str) -> None:
    """One path is a text, several are a list, in all kinds.

    Most are stored as one file: `lib/gitlab/ci/build/artifacts/adapters` and `enums/ci/job_artifact.rb` of GitLab.
    """
    output = compiled(f"""
        pipelines:
          p:
            stages:
              - {{name: a, directory: d, script: [x], reports: {{{kind}: a.json}}}}
              - {{name: b, script: [x], artifacts: {{expire: 1 day}}, reports: {{{kind}: [a.json, 'b/*.json']}}}}
    """)

    assert output.data["a"]["artifacts"] == {"reports": {kind: "d/a.json"}}
    assert output.data["b"]["artifacts"] == {"expire_in": "1 day", "reports": {kind: ["a.json", "b/*.json"]}}
    assert output.codes() == ([] if kind in _OF_SEVERAL_FILES else [("PG696", "'b/*.json'")])


def test_a_report_that_an_old_server_lacks_is_reported_at_its_path() -> None:
    """https://docs.gitlab.com/ci/yaml/artifacts_reports/ has the versions."""
    output = compiled("""
        targets: {gitlab: {version: '16.2'}}
        pipelines: {p: {stages: [{name: a, script: [x], reports: {dast: d.json, annotations: a.json}}]}}
    """)

    assert output.codes() == [("PG673", "a.json")]


def test_a_report_that_is_dropped_on_success_is_reported() -> None:
    """The user's `when` applies to all artifacts."""
    output = scanning("artifacts: {paths: [dist/], when: failure}")

    assert output.data["scan"]["artifacts"]["when"] == "on_failure"
    assert ("PG633", "artifacts") in output.codes()


def test_artifacts_without_a_report_are_retained_on_success() -> None:
    """This is GitLab's default."""
    output = compiled("{pipelines: {p: {stages: [{name: a, script: [x], artifacts: [dist/]}]}}}")

    assert output.data["a"]["artifacts"] == {"paths": ["dist/"]}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a-${setup.commit}", "a-$CI_COMMIT_SHA"),
        ("${setup.commit}.zip", "$CI_COMMIT_SHA.zip"),
        ("${setup.commit}a", "${CI_COMMIT_SHA}a"),
        ("$${setup.commit}", "$${setup.commit}"),
        ("${FOO}", "$${FOO}"),
        ("$-${setup.commit}", "$$-$CI_COMMIT_SHA"),
    ],
)
def test_names_have_braces_only_where_they_need_them(name: str, expected: str) -> None:
    """A letter, digit or underscore after a variable would belong to its name, and `$$` is a dollar sign."""
    assert artifacts(f"artifacts: {{paths: [dist/], name: '{name}'}}")["name"] == expected
