"""Files that stages get from jobs of other projects and pipelines."""

from __future__ import annotations

from contextlib import suppress

from yaml_data import yaml_data

from pipegen.compiler import analyse, generate
from pipegen.diagnostics.report import Report, Stopped
from pipegen.source.text import SourceFile
from pipegen.targets import gitlab

_JOB = "{ project: group/app, job: dist, ref: main }"


def with_files_from(setting: str) -> tuple[str, list[str]]:
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
    assert jobs["test: gcc"]["needs"] == jobs["test: clang"]["needs"] == ["build", own, {"pipeline": "$UP", "job": "a"}]
    assert "Needs GitLab 13.7 (needs:pipeline)." in text


def test_a_job_needs_at_most_five_jobs_of_other_projects_and_five_of_other_pipelines() -> None:
    """`NEEDS_CROSS_PIPELINE_DEPENDENCIES_LIMIT` and the one for projects, in GitLab's `Entry::Needs`."""
    projects = ", ".join(f"{{ project: group/app, job: job{number}, ref: main }}" for number in range(5))
    pipelines = ", ".join(f"{{ pipeline: $UP, job: job{number} }}" for number in range(5))
    setting = f"{{ stages: [build], jobs: [{projects}, {pipelines}] }}"

    assert with_files_from(f"[{setting}]")[1] == []
    assert (
        with_files_from(f"[{setting}, {{ stages: [build, test], jobs: [{_JOB}] }}]")[1]
        == ['stage "build" cannot get files of other pipelines: GitLab allows 5 jobs of other projects, and it has 6']
        * 2
    )
