"""Files that stages get from jobs of other projects and pipelines."""

from __future__ import annotations

from contextlib import suppress

import pytest
from yaml_data import yaml_data

from pipegen.compiler import analyse, generate
from pipegen.diagnostics.report import Report, Stopped
from pipegen.source.text import SourceFile
from pipegen.targets import gitlab

_JOB = "{ project: group/app, job: dist, ref: main }"


def with_files_from(setting: str) -> tuple[str, list[tuple[str, str]]]:
    """Return the file of a stage, a matrix, a trigger and a final stage with the *setting*, and the diagnostics."""
    config = f"""\
pipelines:
  service:
    stages:
      - {{ name: build, script: make, artifacts: [out/] }}
      - {{ name: test, script: make test, matrix: {{ CC: [gcc, clang] }} }}
      - {{ name: other, trigger: {{ name: docs }} }}
      - {{ name: clean, script: make clean }}
    execution: [[build, test, other]]
    finally: [clean]
targets: {{ gitlab: {{ projects: {{ docs: group/docs }}, files_from: {setting} }} }}
"""
    report, text = Report(), ""
    with suppress(Stopped):
        (file,) = generate(analyse(SourceFile("pipegen.yaml", config), (), report), gitlab, {}, report)
        text = file.text
    return text, [(each.code.number, each.message) for each in report.diagnostics()]


def test_the_jobs_of_a_stage_need_jobs_of_other_pipelines() -> None:
    """They are in addition to the needs for the order; all combinations of a matrix have them."""
    text, diagnostics = with_files_from(
        f"[{{ stages: [build, test], jobs: [{_JOB}] }}, {{ stages: [test], jobs: [{{ pipeline: $UP, job: a }}] }}]"
    )
    jobs = yaml_data(text)
    own = {"project": "group/app", "job": "dist", "ref": "main"}

    assert diagnostics == []
    assert jobs["build"]["needs"] == [own]
    assert jobs["test: gcc"]["needs"] == jobs["test: clang"]["needs"] == ["build", own, {"pipeline": "$UP", "job": "a"}]
    assert "Needs GitLab 13.7 (needs:pipeline)." in text


@pytest.mark.parametrize(
    ("stage", "code", "message"),
    [
        ("tset", "PG656", 'targets.gitlab.files_from names stage "tset", which is not defined'),
        ("other", "PG204", 'stage "other" cannot get files of other pipelines: it has no script'),
        (
            "clean",
            "PG204",
            'stage "clean" cannot get files of other pipelines: with needs, it would not wait for all other stages',
        ),
    ],
)
def test_a_stage_that_cannot_get_files_is_an_error(stage: str, code: str, message: str) -> None:
    """The first does not exist, GitLab would refuse the job of the second, and the third has no needs."""
    text, diagnostics = with_files_from(f"[{{ stages: [{stage}], jobs: [{_JOB}] }}]")

    assert text == ""
    assert diagnostics == [(code, message)]
