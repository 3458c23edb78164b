"""What each job waits for, and whose artifacts it fetches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pipegen.plan.model import Job, Output
from pipegen.targets.gitlab.model import Need


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where a stage stands in the file.

    *last* is the job that ends it: its trigger's, where that is a job of its own.
    """

    job: str
    last: str
    artifacts: tuple[str, ...]


def needs(job: Job, places: Mapping[str, Place]) -> tuple[Need, ...]:
    """Return the needs of *job*: its predecessors in the order of the arcs, then farther ancestors that it reads.

    *places* holds the stages in the user's order.
    """
    read = read_stages(job)
    missing = read.difference(job.needs)
    farther = [stage for stage in places if stage in missing] if missing else []
    found: list[Need] = []
    for stage in (*job.needs, *farther):
        found += _stage_needs(places[stage], is_read=stage in read, is_awaited=stage in job.needs)
    return tuple(found)


def output_needs(outputs: tuple[Output, ...], places: Mapping[str, Place]) -> tuple[Need, ...]:
    """Return the needs of a job that reads *outputs* and nothing else."""
    stages = dict.fromkeys(output.stage for output in outputs)
    return tuple(need for stage in stages for need in _stage_needs(places[stage], is_read=True, is_awaited=False))


def _stage_needs(place: Place, *, is_read: bool, is_awaited: bool) -> Iterator[Need]:
    """Yield the needs on one stage; a trigger's job needs the stage's own, so that one is needed for artifacts only."""
    has_artifacts = is_read and place.artifacts != ()
    if has_artifacts or (is_awaited and place.last == place.job):
        yield Need(place.job, has_artifacts)
    if is_awaited and place.last != place.job:
        yield Need(place.last, artifacts=False)


def read_stages(job: Job) -> set[str]:
    """Return the stages whose outputs, files or containers *job* reads."""
    return {*(output.stage for output in job.inputs), *job.files, *job.containers}
