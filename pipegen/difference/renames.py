"""Detection of renamed stages, which do the same work under another name."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TypeAlias

from pipegen.difference.keys import stage_keys, work_keys
from pipegen.difference.values import frozen
from pipegen.plan.model import Job, Plan

# A key that is equal for matching jobs, with the new names of renamed stages.
_MatchKey: TypeAlias = "Callable[[Job, Mapping[str, str]], Hashable]"


def renamed(old: Plan, new: Plan) -> dict[str, str]:
    """Return the new names of stages of *old* that *new* has under another name.

    If several stages do the same work, stages that are alike in all keys match first, then stages with the same
    predecessors, then the first. A stage without work has no match.
    """
    names: dict[str, str] = {}
    removed, added = _unmatched(old, new), _unmatched(new, old)
    match_keys: tuple[_MatchKey, ...] = (_all_keys, _work)
    while True:
        # A stage that reads outputs of a renamed stage matches once that name is known.
        count = len(names)
        for match_key in match_keys:
            names |= _matched(
                [job for job in removed if job.stage not in names],
                [job for job in added if job.stage not in names.values()],
                names,
                match_key,
            )
        if len(names) == count:
            return names


def _unmatched(plan: Plan, other: Plan) -> list[Job]:
    """Return the jobs of *plan* with work whose names are not in *other*."""
    names = {job.stage for job in other.jobs}
    return [job for job in plan.jobs if job.stage not in names and (job.steps or job.after)]


def _matched(
    removed: Iterable[Job], added: Iterable[Job], names: Mapping[str, str], match_key: _MatchKey
) -> dict[str, str]:
    by_key: dict[Hashable, list[Job]] = {}
    for job in added:
        by_key.setdefault(match_key(job, {}), []).append(job)
    new_names: dict[str, str] = {}
    for job in removed:
        candidates = by_key.get(match_key(job, names), [])
        if candidates:
            after = {names.get(stage, stage) for stage in job.needs}
            best = next((candidate for candidate in candidates if set(candidate.needs) == after), candidates[0])
            new_names[job.stage] = best.stage
            candidates.remove(best)
    return new_names


def _all_keys(job: Job, names: Mapping[str, str]) -> Hashable:
    return frozen(stage_keys(job, names)), _combination(job)


def _work(job: Job, names: Mapping[str, str]) -> Hashable:
    return frozen(work_keys(job, names)), _combination(job)


def _combination(job: Job) -> Hashable:
    return job.combination.values if job.combination is not None else ()
