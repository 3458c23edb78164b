"""What each job waits for, and whose artifacts it fetches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain

from pipegen.plan.model import Condition, Job, Output
from pipegen.plan.model.logic import implies
from pipegen.structs import Struct
from pipegen.targets.gitlab.model import NeedEntry


class Place(Struct, kw_only=True):
    """Where a stage stands in the file.

    *last* is the job that ends it: its trigger's, where that is a job of its own. *needs* are the stages directly
    before it, and where its *condition* does not hold, its jobs are not in the pipeline.
    """

    job: str
    last: str
    artifacts: tuple[str, ...]
    needs: tuple[str, ...] = ()
    condition: Condition | None = None
    may_be_passed: bool = False

    def passes(self, condition: Condition | None) -> bool:
        """Return whether a job that runs on *condition* and needs this one surely comes after what this one needs."""
        return not self.may_be_passed and not self.may_be_missing(condition)

    def may_be_missing(self, condition: Condition | None) -> bool:
        """Return whether its jobs may be missing where a job is there that runs on *condition*."""
        return self.condition is not None and not implies(condition, self.condition)


def needs(job: Job, places: Mapping[str, Place]) -> tuple[NeedEntry, ...]:
    """Return the needs of *job*: its predecessors in the order of the arcs, then farther ancestors that it reads.

    *places* holds the stages in the user's order.
    """
    read = read_stages(job)
    before = awaited(job.needs, job.condition, places)
    missing = read.difference(before)
    farther = [stage for stage in places if stage in missing] if missing else []
    found: list[NeedEntry] = []
    for stage in (*before, *farther):
        found += _stage_needs(places[stage], job, is_read=stage in read, is_awaited=stage in before)
    return tuple(found)


def output_needs(job: Job, outputs: tuple[Output, ...], places: Mapping[str, Place]) -> tuple[NeedEntry, ...]:
    """Return the needs of a helper of *job* that reads *outputs* and nothing else."""
    stages = dict.fromkeys(output.stage for output in outputs)
    found = (_stage_needs(places[stage], job, is_read=True, is_awaited=False) for stage in stages)
    return tuple(chain.from_iterable(found))


def awaited(direct: Iterable[str], condition: Condition | None, places: Mapping[str, Place]) -> dict[str, None]:
    """Return the stages that a job on *condition* waits for: the *direct* ones, and those before each that may miss.

    A job that needs a missing one starts without waiting for what that one would have waited for.
    """
    found = dict.fromkeys(direct)
    waiting = [stage for stage in reversed(found) if places[stage].condition is not None]
    while waiting:
        place = places[waiting.pop()]
        if place.may_be_missing(condition):
            waiting += [stage for stage in reversed(place.needs) if stage not in found]
            found |= dict.fromkeys(place.needs)
    return found


def _stage_needs(place: Place, reader: Job, *, is_read: bool, is_awaited: bool) -> list[NeedEntry]:
    """Return the needs of *reader* on one stage, optional where it may be missing then.

    A trigger's job needs the stage's own, so that one is needed for artifacts only.
    """
    is_optional = place.may_be_missing(reader.condition)
    has_artifacts = is_read and place.artifacts != ()
    has_trigger = place.last != place.job
    found = (
        [NeedEntry(place.job, has_artifacts, is_optional)] if has_artifacts or (is_awaited and not has_trigger) else []
    )
    if is_awaited and has_trigger:
        found.append(NeedEntry(place.last, artifacts=False, is_optional=is_optional))
    return found


def read_stages(job: Job) -> set[str]:
    """Return the stages whose outputs, files or containers *job* reads."""
    return {output.stage for output in job.inputs}.union(job.files, job.containers)
