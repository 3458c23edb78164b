"""The jobs of a pipeline in one file: no unnecessary needs, and never more than GitLab allows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pipegen.diagnostics.codes import TOO_MANY_VARIABLES
from pipegen.diagnostics.report import Report
from pipegen.source.text import Span
from pipegen.structs import replace
from pipegen.targets.gitlab.helper_jobs.collectors import LIMIT, is_too_many, with_rules_of_readers
from pipegen.targets.gitlab.jobs.raw import raw_combinations
from pipegen.targets.gitlab.model import GitLabJob, NeedEntry
from pipegen.targets.gitlab.names import JobNames
from pipegen.targets.gitlab.needs.awaited import StageJob
from pipegen.targets.gitlab.needs.redundant import without_redundant
from pipegen.targets.gitlab.pipelines import JobContext, step_number


def assemble(
    pipeline: JobContext, jobs: Sequence[GitLabJob], stage_jobs: Mapping[str, StageJob], names: JobNames, report: Report
) -> Iterator[GitLabJob]:
    """Yield *jobs* of *pipeline*, each after the collectors that it needs, which take their names from *names*.

    *stage_jobs* are those of the stages with jobs in the file. Too many needs that cannot be collected are reported.
    """
    ordered = sorted(jobs, key=step_number)
    reduced = without_redundant(ordered, {stage_job.job: stage_job for stage_job in stage_jobs.values()})
    sizes = {name: len(names) for name, names in raw_combinations(jobs).items() if names}
    # Most pipelines have no job with too many needs.
    is_collecting = any(is_too_many(needs, sizes) for needs in reduced.values())
    if not is_collecting:
        yield from (with_needs(job, reduced[job.name]) for job in jobs)
        return
    collectors = pipeline.collectors(names, jobs, stage_jobs)
    collected: list[GitLabJob] = []
    created: set[str] = set()
    for job in jobs:
        needs, new_collectors = collectors.fit(job.name, reduced[job.name])
        created.update(collector.name for collector in new_collectors)
        collected += (*new_collectors, with_needs(job, needs))
        if is_too_many(needs, sizes):
            _report_variables(pipeline, job, stage_jobs, report)
    yield from with_rules_of_readers(collected, created)


def with_needs(job: GitLabJob, needs: tuple[NeedEntry, ...]) -> GitLabJob:
    """Return *job* with *needs*; the same object if they are equal, so that its size is not estimated again."""
    return job if needs == job.needs else replace(job, needs=needs)


def _report_variables(pipeline: JobContext, job: GitLabJob, stage_jobs: Mapping[str, StageJob], report: Report) -> None:
    report.add(
        TOO_MANY_VARIABLES,
        f'image names in stage "{job.name}" use values of more stages than GitLab\'s {LIMIT} needs can pass on',
        at=_span(pipeline, job.name, stage_jobs),
        hint="join the values in one output of an earlier stage",
    )


def _span(pipeline: JobContext, job: str, stage_jobs: Mapping[str, StageJob]) -> Span:
    """Return the location of the stage of *job*, or else of the pipeline."""
    spans = {stage_jobs[stage.stage].job: stage.span for stage in pipeline.plan.jobs if stage.stage in stage_jobs}
    return spans.get(job, pipeline.plan.span)
