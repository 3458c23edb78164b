"""The jobs of a `.gitlab-ci.yml` that an event starts, as GitLab evaluates their rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, Stopped
from pipegen.importing.accounting import Accounting
from pipegen.importing.gitlab.events import facts_of, start_events
from pipegen.importing.gitlab.reading.expressions.formulas import (
    Exist,
    tests_in,
)
from pipegen.importing.gitlab.reading.files import read_files
from pipegen.importing.gitlab.reading.jobs import resolve
from pipegen.importing.gitlab.reading.locations import Roots
from pipegen.importing.gitlab.reading.order import report_cycles
from pipegen.importing.gitlab.reading.rules import MANUAL, ON_FAILURE, formulas_of
from pipegen.importing.gitlab.refused.pipeline import report_refused
from pipegen.importing.gitlab.runnable import UNKNOWN, RunnablePipeline, runnable
from pipegen.importing.gitlab.runs import RunJob, missing_needs, run
from pipegen.importing.starts import FileStart, FileStarts
from pipegen.plan.events import PipelineStart, StageStart
from pipegen.plan.model.facts import RepositoryFiles, StartEvent
from pipegen.source.text import SourceFile
from pipegen.source.tree import Entry
from pipegen.structs import replace

# The keys of a job with its conditions.
_CONDITIONS = ("rules", "only", "except")


def gitlab_starts(
    file: SourceFile, roots: Roots, default_branch: str, repository: RepositoryFiles, report: Report
) -> FileStarts:
    """Return what each event starts of *file*, which is in *repository*; raise `Stopped` if GitLab refuses it."""
    accounting = Accounting()
    files = read_files(file, roots, accounting, report)
    refused = Report()
    try:
        source = resolve(files, accounting, refused)
        report_cycles(source, refused)
        report_refused(files, source, refused)
    finally:
        report.take(refused)
    report.stop_if_errors()
    # Other diagnostics are about names that may be in files that are not here.
    if any(diagnostic.code is codes.NOT_IMPORTED for diagnostic in refused.diagnostics()):
        raise Stopped
    pipeline = runnable(source, has_helpers=True)
    tests = (test for formula in formulas_of(source) for test in tests_in(formula))
    tested_files = tuple(repository.files) if any(isinstance(test, Exist) for test in tests) else None
    workflow = _place(source.workflow) if source.workflow is not None and source.has_workflow_rules else ""

    def of(event: StartEvent) -> FileStart:
        facts = replace(facts_of(event, default_branch), files=tested_files)
        started = pipeline.started(facts)
        jobs = run(pipeline, started, {})
        reason = ""
        if pipeline.is_excluded(facts):
            reason = f"excluded by {workflow}"
        elif jobs is None:
            missing = next(missing_needs(pipeline, started), None)
            reason = f"GitLab refuses it: {_missing(*missing) if missing is not None else 'jobs need each other'}"
        stages = tuple(_stages(pipeline, jobs or {}, f"pipeline {file.path}: {reason}" if reason else ""))
        return FileStart(
            pipelines=(
                PipelineStart(
                    name=file.path, reason=reason, is_refused=jobs is None, stages=stages, condition=workflow
                ),
            ),
            before={name: job.before for name, job in (jobs or {}).items()},
        )

    return FileStarts(events=start_events(source, default_branch), of=of)


def _missing(job: str, need: str) -> str:
    return f'job "{job}" needs "{need}", which does not run'


def _stages(pipeline: RunnablePipeline, jobs: Mapping[str, RunJob], obstacle: str) -> Iterator[StageStart]:
    """Yield how each job of *pipeline* starts in a run of *jobs*; *obstacle* is why there is no run, "" if there is."""
    for job in pipeline.jobs.values():
        entries = job.job.entries
        places = [_place(entries[key]) for key in _CONDITIONS if key in entries]
        condition = " and ".join([*places, *(['the rules of its "include"'] if job.job.included else [])])
        excluded = f"excluded by {condition}" if condition else "only for branches and tags"
        for name in job.combinations if job.is_shown else ():
            when = jobs[name].when if name in jobs else ""
            reason = "" if when else obstacle or excluded
            if when == UNKNOWN:
                reason = "only GitLab can evaluate its rules"
            yield StageStart(
                stage=name,
                runs=None if when == UNKNOWN else bool(when),
                waits_for_approval=when == MANUAL,
                on_status="failed" if when == ON_FAILURE else "",
                reason=reason,
                condition=condition,
            )


def _place(entry: Entry) -> str:
    span = entry.key.span
    return f'"{entry.key.text}" in {span.file.path}:{span.first.line}'
