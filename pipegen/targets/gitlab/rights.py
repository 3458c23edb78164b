"""What jobs may do: no more than they need."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.structs import replace
from pipegen.targets.gitlab.model import HELPER, Job


def vouched(jobs: Sequence[Job]) -> tuple[Job, ...]:
    """Return *jobs* of a file whose every job gets tokens: those that no stage asked for get none."""
    return tuple(replace(job, inherits_tokens=False) if _is_helper(job) else job for job in jobs)


def _is_helper(job: Job) -> bool:
    """Return whether *job* stands beside those of stages; a bridge runs nothing that a token could be given to."""
    return job.trigger is None and any(variable.name == HELPER for variable in job.variables)
