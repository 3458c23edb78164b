"""The order of gangs and stages: by remaining path, time of readiness, priority, or deadline."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from pipegen.run.scheduling.job_queues import Gang, QueuedTask
from pipegen.run.scheduling.session import Session
from pipegen.run.scheduling.votes import Vote, Votes


def critical_path(_session: Session) -> Votes:
    """Return votes for the stage with the longest remaining path."""
    return Votes(
        gang_key=lambda gang: (
            -max([task.remaining for task in (gang.first(), gang.first(light=True)) if task], default=0.0)
        ),
        queued_task_key=lambda queued_task: -queued_task.remaining,
    )


def first_ready(_session: Session) -> Votes:
    """Return votes for the stage that has been ready for longest, as on most engines."""
    return Votes(
        gang_key=lambda gang: min((task.since for task in (gang.first(), gang.first(light=True)) if task), default=0.0),
        queued_task_key=lambda queued_task: queued_task.since,
    )


def backoff(_session: Session) -> Votes:
    """Return the vote that gangs that found no room come after others until their backoff ends, as in Kubernetes."""
    return Votes(backs_off=True)


def priority(_session: Session) -> Votes:
    """Return votes for the gang and the task with the highest priority, and against those with lower ones."""
    return Votes(
        gang_key=lambda gang: -gang.priority,
        queued_task_key=lambda queued_task: -queued_task.priority,
        is_starving=lambda gang: gang.placed + gang.promised < gang.size,
        preemptable=_of_lower_priority,
    )


def _of_lower_priority(queued_task: QueuedTask, candidates: Sequence[QueuedTask]) -> Sequence[QueuedTask]:
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


def sla(session: Session) -> Votes:
    """Return votes for the gang whose longest waiting time ends first; after it, the gang is admitted and promised."""

    def late(gang: Gang) -> Vote:
        return Vote.PERMIT if deadline(gang) <= session.now else Vote.ABSTAIN

    return Votes(gang_key=deadline, may_enter=late, is_promised=late)


def deadline(gang: Gang) -> float:
    """Return the end of the longest waiting time of *gang*, infinity if it has none."""
    if gang.waiting_time == inf:
        return inf
    first = gang.first() or gang.first(light=True)
    return first.since + gang.waiting_time if first else inf
