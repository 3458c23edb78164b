"""Removal of redundant needs.

A job that needs `b`, which needs `a`, comes after `a` anyway, and is skipped if `a` fails, as `b` is. So it does not
have to need `a`, unless it fetches artifacts of `a`, or `b` may be missing, be allowed to fail, or wait for a person:
then only its own needs make the job wait.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pipegen.targets.gitlab.model import GitLabJob, NeedEntry
from pipegen.targets.gitlab.needs.awaited import StageJob


def without_redundant(
    jobs: Sequence[GitLabJob], stage_jobs: Mapping[str, StageJob]
) -> dict[str, tuple[NeedEntry, ...]]:
    """Return the needs of each of *jobs* by its name, without needs for order that others imply.

    *jobs* come after those that they need. *stage_jobs* are those of stages, by name: other jobs keep their needs and
    imply nothing.
    """
    if all(need.artifacts for job in jobs for need in job.needs):
        return {job.name: job.needs for job in jobs}
    numbers = {job.name: number for number, job in enumerate(jobs)}
    predecessors: dict[str, int] = {}
    needs_by_job: dict[str, tuple[NeedEntry, ...]] = {}
    for job in jobs:
        stage_job = stage_jobs.get(job.name)
        needs_by_job[job.name] = job.needs
        if stage_job is not None:
            own_needs = [need for need in job.needs if not need.pipeline]
            certain = (need.job for need in own_needs if need.job in stage_jobs and not need.is_optional)
            passing = (name for name in certain if stage_jobs[name].passes(stage_job.condition))
            implied_by = {name: predecessors[name] for name in passing}
            implied = _implied(own_needs, implied_by, numbers)
            needs_by_job[job.name] = tuple(need for need in job.needs if need not in implied)
            predecessors[job.name] = _predecessors(own_needs, implied_by, numbers)
    return needs_by_job


def _implied(
    own_needs: Sequence[NeedEntry], implied_by: Mapping[str, int], numbers: Mapping[str, int]
) -> set[NeedEntry]:
    """Return the needs that others in *own_needs* imply, by *implied_by*; a need precedes those that imply it."""
    implied: set[NeedEntry] = set()
    mask = 0
    for need in sorted(own_needs, key=lambda need: numbers[need.job], reverse=True):
        if need.artifacts or not mask >> numbers[need.job] & 1:
            mask |= implied_by.get(need.job, 0)
        else:
            implied.add(need)
    return implied


def _predecessors(own_needs: Sequence[NeedEntry], implied_by: Mapping[str, int], numbers: Mapping[str, int]) -> int:
    """Return the numbers of all jobs that a job with *own_needs* certainly comes after, as bits."""
    mask = 0
    for need in own_needs:
        mask |= 1 << numbers[need.job] | implied_by.get(need.job, 0)
    return mask
