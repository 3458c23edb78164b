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


def with_files_from(setting: str) -> tuple[str, list[str]]:
    """Return the file of a stage and a matrix with the *setting*, and the diagnostics."""
    config = f"""\
pipelines:
  service:
    stages:
      - {{ name: build, script: make, artifacts: [out/] }}
      - {{ name: test, script: make test, matrix: {{ CC: [gcc, clang] }} }}
targets: {{ gitlab: {{ files_from: {setting} }} }}
"""
    report, text = Report(), ""
    with suppress(Stopped):
        (file,) = generate(analyse(SourceFile("pipegen.yaml", config), (), report), gitlab, {}, report)
        text = file.text
    return text, [each.message for each in report.diagnostics()]


def test_the_jobs_of_a_stage_need_jobs_of_other_pipelines() -> None:
    """They are in addition to the needs for the order; all combinations of a matrix have them."""
    text, diagnostics = with_files_from(
        f"[{{ stages: [build, test], jobs: [{_JOB}] }}, {{ stages: [test], jobs: [{{ pipeline: $UP, job: a }}] }}]"
    )
    jobs = yaml_data(text)
    own = {"project": "group/app", "job": "dist", "ref": "main"}

    assert diagnostics == []
    assert jobs["build"]["needs"] == [own]
    assert jobs["test"]["needs"] == ["build", own, {"pipeline": "$UP", "job": "a"}]
    assert "Needs GitLab 13.7 (needs:pipeline)." in text


def test_a_job_needs_at_most_five_jobs_of_other_projects_and_five_of_other_pipelines() -> None:
    """`NEEDS_CROSS_PIPELINE_DEPENDENCIES_LIMIT` and the one for projects, in GitLab's `Entry::Needs`.

    Entries for a stage and for a combination of it count together.
    """
    projects = ", ".join(f"{{ project: group/app, job: job{number}, ref: main }}" for number in range(5))
    pipelines = ", ".join(f"{{ pipeline: $UP, job: job{number} }}" for number in range(5))
    setting = f"{{ stages: [build], jobs: [{projects}, {pipelines}] }}"

    assert with_files_from(f"[{setting}]")[1] == []
    assert (
        with_files_from(f"[{setting}, {{ stages: [build, test], jobs: [{_JOB}] }}]")[1]
        == ['stage "build" cannot get files of other pipelines: it has 6 jobs of other projects, and GitLab allows 5']
        * 2
    )
    part = f"[{{ stages: [test], jobs: [{projects}] }}, {{ stages: ['test: gcc'], jobs: [{_JOB}] }}]"
    assert with_files_from(part)[1] == [
        f'stage "{name}" cannot get files of other pipelines: it has 6 jobs of other projects, and GitLab allows 5'
        for name in ("test", "test: gcc")
    ]


def test_a_stage_needs_each_job_of_other_pipelines_once() -> None:
    """Several entries may have the same job; the number of those that GitLab allows is that of different ones."""
    other = ", ".join(f"{{ project: group/app, job: job{number}, ref: main }}" for number in range(4))
    again = "{ ref: main, job: dist, project: group/app }"
    text, diagnostics = with_files_from(
        f"[{{ stages: [build], jobs: [{_JOB}, {other}] }}, {{ stages: [build, test], jobs: [{_JOB}, {again}] }}]"
    )
    jobs = yaml_data(text)

    assert diagnostics == []
    assert [need["job"] for need in jobs["build"]["needs"]] == ["dist", "job0", "job1", "job2", "job3"]
    assert len(jobs["test"]["needs"]) == 2


@pytest.mark.parametrize(
    ("job", "message", "hint"),
    [
        ("{ pipeline: $P, job: x, ref: m }", 'has "ref", which belongs to "project"', "remove it"),
        ("{ project: a, pipeline: $P, job: x, ref: m }", 'has "project", "pipeline", but only one is', "keep one"),
        ("{ project: a, job: x }", 'has no "ref"', 'add the key "ref"'),
        ("{ job: x }", 'needs "project" or "pipeline"', "add"),
        ("{ pipeline: $P }", 'has no "job"', 'add the key "job"'),
    ],
)
def test_a_job_with_other_keys_has_one_message(job: str, message: str, hint: str) -> None:
    """A job is of a project and its branch, or of a pipeline."""
    config = f"""\
pipelines: {{ service: {{ stages: [{{ name: build, script: make }}] }} }}
targets: {{ gitlab: {{ files_from: [{{ stages: [build], jobs: [{job}] }}] }} }}
"""
    report = Report()
    with suppress(Stopped):
        generate(analyse(SourceFile("pipegen.yaml", config), (), report), gitlab, {}, report)
    (diagnostic,) = report.diagnostics()

    assert f'an item of "jobs" {message}' in diagnostic.message
    assert (diagnostic.hint or "").startswith(hint)
