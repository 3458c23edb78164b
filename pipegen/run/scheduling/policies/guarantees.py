"""Room that stays free for the guarantees of other job queues."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

from pipegen.run.scheduling.job_queues import JobQueue, QueuedTask, lineage
from pipegen.run.scheduling.session import Session


class Guarantees:
    """The guarantees of the job queues of *session*; *limit* returns how much of a resource a parent may take.

    The limit of each job queue, which leaves the guarantees of the others, is not enough: several job queues that are
    within their limits may take what is guaranteed to another one. Promises do not count: two of them could prevent
    each other, and no task ends by which that changes.
    """

    def __init__(self, session: Session, limit: Callable[[JobQueue, str], float] = lambda _parent, _name: inf) -> None:
        self._session, self._limit = session, limit
        self._known = 0
        # The job queues with guarantees by their parent.
        self._by_parent: dict[JobQueue | None, list[JobQueue]] = {}

    def are_left(self, queued_task: QueuedTask) -> bool:
        """Return whether enough stays free for the guarantees of others when *queued_task* starts."""
        job_queues = self._session.job_queues
        if self._known < len(job_queues):
            self._known = len(job_queues)
            self._by_parent = {}
            for job_queue in job_queues.values():
                if job_queue.guarantee:
                    self._by_parent.setdefault(job_queue.parent, []).append(job_queue)
        return not self._by_parent or all(
            self._is_left(job_queue, name, amount)
            for job_queue in lineage(queued_task.gang.job_queue)
            for name, amount in queued_task.requests.items()
            if amount
        )

    def _is_left(self, job_queue: JobQueue, name: str, amount: float) -> bool:
        others = (other for other in self._by_parent.get(job_queue.parent, ()) if other is not job_queue)
        reserved = sum(max(0.0, other.guarantee.get(name, 0) - _used(other, name)) for other in others)
        return not reserved or amount + reserved <= self._free(job_queue.parent, name)

    def _free(self, parent: JobQueue | None, name: str) -> float:
        """Return how much of a resource no task below *parent* has."""
        if parent is not None:
            return self._limit(parent, name) - _used(parent, name)
        session = self._session
        used = sum(_used(job_queue, name) for job_queue in session.job_queues.values() if job_queue.parent is None)
        return session.possible.get(name, inf) - used


def _used(job_queue: JobQueue, name: str) -> float:
    return job_queue.taken.get(name, 0.0) - job_queue.promised.get(name, 0.0)
