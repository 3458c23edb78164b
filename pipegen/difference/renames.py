"""Which stages do the same work under another name."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TypeAlias

from pipegen.difference.keys import stage_keys, work_keys
from pipegen.difference.values import frozen
from pipegen.plan.model import Job, Plan

# What two jobs have alike, seen with the new names of stages that are renamed.
_Look: TypeAlias = "Callable[[Job, Mapping[str, str]], Hashable]"


def renamed(old: Plan, new: Plan) -> dict[str, str]:
    """Return the new names of stages of *old* that *new* has under another name.

    Of several that do the same work, those are taken for one another that are alike in all, then those that come after
    the same stages, then those that come first. A stage without work of its own is no other one.
    """
    names: dict[str, str] = {}
    gone, there = _others(old, new), _others(new, old)
    looks: tuple[_Look, ...] = (_whole, _work)
    while True:
        # A stage that reads of one that is renamed is seen to do the same once that is known.
        before = len(names)
        for look in looks:
            names |= _matched(
                [job for job in gone if job.stage not in names],
                [job for job in there if job.stage not in names.values()],
                names,
                look,
            )
        if len(names) == before:
            return names


def _others(plan: Plan, other: Plan) -> list[Job]:
    """Return the jobs of *plan* that work, and whose names *other* does not have."""
    known = {job.stage for job in other.jobs}
    return [job for job in plan.jobs if job.stage not in known and (job.steps or job.after)]


def _matched(gone: Iterable[Job], there: Iterable[Job], names: Mapping[str, str], look: _Look) -> dict[str, str]:
    same: dict[Hashable, list[Job]] = {}
    for job in there:
        same.setdefault(look(job, {}), []).append(job)
    found: dict[str, str] = {}
    for job in gone:
        left = same.get(look(job, names), [])
        if left:
            after = {names.get(stage, stage) for stage in job.needs}
            best = next((one for one in left if set(one.needs) == after), left[0])
            found[job.stage] = best.stage
            left.remove(best)
    return found


def _whole(job: Job, names: Mapping[str, str]) -> Hashable:
    return frozen(stage_keys(job, names)), _combination(job)


def _work(job: Job, names: Mapping[str, str]) -> Hashable:
    return frozen(work_keys(job, names)), _combination(job)


def _combination(job: Job) -> Hashable:
    return job.combination.values if job.combination is not None else ()
