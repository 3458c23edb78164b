"""Higher priorities come first, and stop lower ones."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.run.scheduling.job_queues import QueuedTask
from pipegen.run.scheduling.session import Session
from pipegen.run.scheduling.votes import Votes


def priority(_session: Session) -> Votes:
    """Return votes for the gang and the task with the highest priority, and against those with lower ones."""
    return Votes(
        gang_key=lambda gang: -gang.priority,
        queued_task_key=lambda queued_task: -queued_task.priority,
        is_starving=lambda gang: gang.placed + gang.promised < gang.size,
        preemptable=_victims,
    )


def _victims(queued_task: QueuedTask, candidates: Sequence[QueuedTask]) -> Sequence[QueuedTask]:
    """Return the candidates with a lower priority: of their gang, or as tasks of the same gang."""
    gang = queued_task.gang
    return [
        candidate
        for candidate in candidates
        if (
            candidate.priority < queued_task.priority
            if candidate.gang is gang
            else candidate.gang.priority < gang.priority
        )
    ]
