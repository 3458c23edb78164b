"""Job queues have explicit shares, in a tree: limits of a job queue hold for all below it."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from pipegen.run.scheduling.amounts import SLOTS, Amounts, share
from pipegen.run.scheduling.job_queues import Gang, JobQueue, QueuedTask, lineage
from pipegen.run.scheduling.session import Session
from pipegen.run.scheduling.votes import Vote, Votes


def capacity(session: Session) -> Votes:
    """Return votes for the job queue with the smallest part of its deserved share, and against exceeding limits."""

    def limit(job_queue: JobQueue, name: str) -> float:
        """Return how much of a resource *job_queue* may take: its capability, without the guarantees of others."""
        reserved = sum(
            sibling.guarantee.get(name, 0)
            for sibling in session.job_queues.values()
            if sibling is not job_queue and sibling.parent is job_queue.parent
        )
        capability = job_queue.capability or {}
        return min(capability.get(name, inf), session.machines.totals.get(name, inf) - reserved)

    def is_within(job_queue: JobQueue, requests: Amounts, *, with_admitted: bool = False) -> bool:
        return all(
            (above.admitted if with_admitted else above.taken).get(name, 0) + amount <= limit(above, name)
            for above in lineage(job_queue)
            for name, amount in requests.items()
            if amount
        )

    def may_enter(gang: Gang) -> Vote:
        is_permitted = gang.job_queue.is_open and is_within(gang.job_queue, gang.minimum or {}, with_admitted=True)
        return Vote.PERMIT if is_permitted else Vote.REJECT

    return Votes(
        job_queue_key=lambda job_queue: (-job_queue.priority, round(share(job_queue.taken, job_queue.deserved), 9)),
        may_take=lambda job_queue, queued_task: job_queue.is_open and is_within(job_queue, queued_task.requests),
        may_enter=may_enter,
        is_preemptive=_is_preemptive,
        reclaimable=_reclaimable,
    )


def _is_preemptive(job_queue: JobQueue, queued_task: QueuedTask) -> bool:
    """Return whether *job_queue* deserves the requests of *queued_task* in some resource."""
    return any(
        job_queue.taken.get(name, 0) + amount <= job_queue.deserved.get(name, 0)
        for name, amount in queued_task.requests.items()
        if amount and _is_shared(job_queue, name)
    )


def _reclaimable(queued_task: QueuedTask, candidates: Sequence[QueuedTask]) -> Sequence[QueuedTask]:
    """Return the candidates that have a needed resource of which their job queue has more than it deserves."""
    amounts_left: dict[JobQueue, dict[str, float]] = {}
    victims = []
    for candidate in candidates:
        job_queue = candidate.gang.job_queue
        taken = amounts_left.setdefault(job_queue, dict(job_queue.taken))
        if any(
            amount
            and queued_task.requests.get(name)
            and _is_shared(job_queue, name)
            and taken[name] > job_queue.deserved.get(name, 0)
            for name, amount in candidate.requests.items()
        ):
            for name, amount in candidate.requests.items():
                taken[name] -= amount
            victims.append(candidate)
    return victims


def _is_shared(job_queue: JobQueue, name: str) -> bool:
    """Return whether *job_queue* deserves a part of a resource: of slots only if it says how many."""
    return name != SLOTS or SLOTS in job_queue.deserved
