"""Needs that other needs of the same job make unnecessary.

A job that needs `b`, which needs `a`, comes after `a` anyway, and is skipped where `a` fails, as `b` is. So it need not
name `a`, unless it fetches artifacts of it, or `b` may be out of the pipeline, or may fail all the same, or waits for a
person: then the job may start, or be left waiting, by what it needs itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pipegen.targets.gitlab.model import GitLabJob, NeedEntry
from pipegen.targets.gitlab.needs.awaited import Place


def without_implied(jobs: Sequence[GitLabJob], places: Mapping[str, Place]) -> dict[str, tuple[NeedEntry, ...]]:
    """Return the needs of each of *jobs* by its name, without those for order that others imply.

    *jobs* stand after those that they need. *places* holds the jobs of stages, by their names: only they are looked at
    and through; other jobs keep their needs.
    """
    if all(need.artifacts for job in jobs for need in job.needs):
        return {job.name: job.needs for job in jobs}
    numbers = {job.name: number for number, job in enumerate(jobs)}
    after: dict[str, int] = {}
    found: dict[str, tuple[NeedEntry, ...]] = {}
    for job in jobs:
        place = places.get(job.name)
        found[job.name] = job.needs
        if place is not None:
            wanted = [need for need in job.needs if not need.pipeline]
            passing = (name for need in wanted if (name := need.job) in places and places[name].passes(place.condition))
            behind = {name: after[name] for name in passing}
            implied = _implied(wanted, behind, numbers)
            found[job.name] = tuple(need for need in job.needs if need not in implied)
            after[job.name] = _together(wanted, behind, numbers)
    return found


def _implied(wanted: Sequence[NeedEntry], behind: Mapping[str, int], numbers: Mapping[str, int]) -> set[NeedEntry]:
    """Return those of *wanted* that are in what comes *behind* others; what implies a need stands after it."""
    found: set[NeedEntry] = set()
    mask = 0
    for need in sorted(wanted, key=lambda need: numbers[need.job], reverse=True):
        if need.artifacts or not mask >> numbers[need.job] & 1:
            mask |= behind.get(need.job, 0)
        else:
            found.add(need)
    return found


def _together(wanted: Sequence[NeedEntry], behind: Mapping[str, int], numbers: Mapping[str, int]) -> int:
    """Return the numbers of all jobs that a job with the needs *wanted* surely comes after, as bits."""
    mask = 0
    for need in wanted:
        mask |= 1 << numbers[need.job] | behind.get(need.job, 0)
    return mask
