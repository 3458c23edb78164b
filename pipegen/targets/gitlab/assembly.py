"""The jobs of a pipeline as they stand in one file: no need too many, and never more than GitLab allows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pipegen.structs import replace
from pipegen.targets.gitlab.implied import without_implied
from pipegen.targets.gitlab.model import Job
from pipegen.targets.gitlab.names import Names
from pipegen.targets.gitlab.needs import Place
from pipegen.targets.gitlab.pipelines import Pipeline, step_number


def assembled(pipeline: Pipeline, jobs: Sequence[Job], places: Mapping[str, Place], names: Names) -> Iterator[Job]:
    """Yield *jobs* of *pipeline*, each after the collectors that it needs, which get *names*.

    *places* are those of the stages whose jobs are among them.
    """
    collectors = pipeline.collectors(names, jobs, places)
    ordered = sorted(jobs, key=step_number)
    found = without_implied(ordered, {place.job: place for place in places.values()})
    for job in jobs:
        fitting, made = collectors.fit(job.name, found[job.name])
        yield from made
        yield job if fitting == job.needs else replace(job, needs=fitting)
