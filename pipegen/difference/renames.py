"""Which stages do the same work under another name."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping

from pipegen.difference.keys import stage_keys
from pipegen.difference.values import frozen
from pipegen.plan.model import Job, Plan


def renamed(old: Plan, new: Plan) -> dict[str, str]:
    """Return the new names of stages of *old* that *new* has under another name.

    Of several that do the same, those are taken for one another that come after the same stages, then those that come
    first. A stage without work of its own is no other one.
    """
    names: dict[str, str] = {}
    gone = _others(old, new)
    while True:
        there = [job for job in _others(new, old) if job.stage not in names.values()]
        # A stage that reads of one that is renamed is seen to do the same once that is known.
        found = _matched([job for job in gone if job.stage not in names], there, names)
        if not found:
            return names
        names |= found


def _others(plan: Plan, other: Plan) -> list[Job]:
    """Return the jobs of *plan* whose names *other* does not have."""
    known = {job.stage for job in other.jobs}
    return [job for job in plan.jobs if job.stage not in known]


def _matched(gone: Iterable[Job], there: Iterable[Job], names: Mapping[str, str]) -> dict[str, str]:
    same: dict[Hashable, list[Job]] = {}
    for job in there:
        same.setdefault(_work(job, {}), []).append(job)
    found: dict[str, str] = {}
    for job in gone:
        left = same.get(_work(job, names), [])
        if left and (job.steps or job.after):
            after = {names.get(stage, stage) for stage in job.needs}
            best = next((one for one in left if set(one.needs) == after), left[0])
            found[job.stage] = best.stage
            left.remove(best)
    return found


def _work(job: Job, names: Mapping[str, str]) -> Hashable:
    return frozen(stage_keys(job, names)), job.leg.values if job.leg is not None else ()
