"""The jobs of a pipeline as they stand in one file: no need too many, and never more than GitLab allows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pipegen.diagnostics.codes import TOO_MANY_VARIABLES
from pipegen.diagnostics.report import Report
from pipegen.structs import replace
from pipegen.targets.gitlab.helper_jobs.collectors import LIMIT, is_too_many
from pipegen.targets.gitlab.model import GitLabJob
from pipegen.targets.gitlab.names import JobNames
from pipegen.targets.gitlab.needs.awaited import Place
from pipegen.targets.gitlab.needs.redundant import without_implied
from pipegen.targets.gitlab.pipelines import JobContext, step_number


def assembled(
    pipeline: JobContext, jobs: Sequence[GitLabJob], places: Mapping[str, Place], names: JobNames, report: Report
) -> Iterator[GitLabJob]:
    """Yield *jobs* of *pipeline*, each after the collectors that it needs, which get *names*.

    *places* are those of the stages whose jobs are among them. Needs that no collectors hand on are reported.
    """
    ordered = sorted(jobs, key=step_number)
    found = without_implied(ordered, {place.job: place for place in places.values()})
    # Most pipelines have no job with so many needs.
    is_collecting = any(map(is_too_many, found.values()))
    collectors = pipeline.collectors(names, jobs, places) if is_collecting else None
    for job in jobs:
        fitting = found[job.name]
        if collectors is not None:
            fitting, made = collectors.fit(job.name, fitting)
            yield from made
            if is_too_many(fitting):
                _report(pipeline, job, places, report)
        yield job if fitting == job.needs else replace(job, needs=fitting)


def _report(pipeline: JobContext, job: GitLabJob, places: Mapping[str, Place], report: Report) -> None:
    spans = {places[one.stage].job: one.span for one in pipeline.plan.jobs if one.stage in places}
    report.add(
        TOO_MANY_VARIABLES,
        f'names of images in stage "{job.name}" hold values of more stages than {LIMIT} needs of GitLab hand on',
        at=spans.get(job.name, pipeline.plan.span),
        hint="join values in an output of an earlier stage, and read that one",
    )
