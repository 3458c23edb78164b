"""Dominant resource fairness: the gang with the smallest dominant share comes first."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.run.scheduling.amounts import Amounts, add_to, share, subtract
from pipegen.run.scheduling.job_queues import Gang, QueuedTask
from pipegen.run.scheduling.session import Session
from pipegen.run.scheduling.votes import Votes


def drf(session: Session) -> Votes:
    """Return votes for the gang with the least dominant share of all machines, and against those with larger ones."""

    def preemptable(queued_task: QueuedTask, candidates: Sequence[QueuedTask]) -> Sequence[QueuedTask]:
        """Return the candidates without which their gangs still have at least the share of that of *queued_task*."""
        taken = dict(queued_task.gang.taken)
        add_to(taken, queued_task.requests)
        reached = dominant(taken)
        amounts_left: dict[Gang, dict[str, float]] = {}
        victims = []
        for candidate in candidates:
            left = amounts_left.setdefault(candidate.gang, dict(candidate.gang.taken))
            subtract(left, candidate.requests)
            if reached <= dominant(left):
                victims.append(candidate)
        return victims

    def dominant(taken: Amounts) -> float:
        # Rounded, so that rounding errors do not decide between equal gangs.
        return round(share(taken, session.possible), 9)

    return Votes(gang_key=lambda gang: dominant(gang.taken), preemptable=preemptable, changes_ranks=True)
