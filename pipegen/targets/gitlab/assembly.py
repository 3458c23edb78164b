"""The jobs of a pipeline as they stand in one file: no need too many, and never more than GitLab allows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pipegen.structs import replace
from pipegen.targets.gitlab.collectors import is_too_many
from pipegen.targets.gitlab.implied import without_implied
from pipegen.targets.gitlab.model import Job
from pipegen.targets.gitlab.names import Names
from pipegen.targets.gitlab.needs import Place
from pipegen.targets.gitlab.pipelines import Pipeline, step_number


def assembled(pipeline: Pipeline, jobs: Sequence[Job], places: Mapping[str, Place], names: Names) -> Iterator[Job]:
    """Yield *jobs* of *pipeline*, each after the collectors that it needs, which get *names*.

    *places* are those of the stages whose jobs are among them.
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
        yield job if fitting == job.needs else replace(job, needs=fitting)
