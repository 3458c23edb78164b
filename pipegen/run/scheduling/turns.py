"""The order of job queues, computed without comparing all of them whenever a slot is free."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any

from pipegen.run.scheduling.job_queues import JobQueue, Key


class Turns:
    """The job queues with tasks to place, grouped by the inputs of their keys.

    Job queues with equal requests and resources differ only in when they were last served, so only one of each kind is
    compared. *key* returns the rank of a job queue, *has_next* whether it has tasks.
    """

    __slots__ = ("_filed", "_has_next", "_key", "_kinds", "_open", "_touched", "_unfiled")

    def __init__(self, key: Callable[[JobQueue], Key], has_next: Callable[[JobQueue], bool]) -> None:
        self._key, self._has_next = key, has_next
        # Job queues with tasks to place.
        self._open: dict[JobQueue, None] = {}
        # By kind, a heap of job queues by last service; entries that were filed elsewhere since are skipped.
        self._kinds: dict[Any, list[tuple[int, int, JobQueue]]] = {}
        self._filed: dict[JobQueue, tuple[Any, int]] = {}
        # Job queues that may have changed since `first` was called, and since they were filed.
        self._touched: dict[JobQueue, None] = {}
        self._unfiled: dict[JobQueue, None] = {}

    def touch(self, job_queue: JobQueue) -> None:
        """Note that the requests, resources, service or tasks of *job_queue* may have changed."""
        self._touched[job_queue] = None

    def first(self) -> JobQueue | None:
        """Return the next job queue, None if none has tasks to place."""
        for job_queue in self._touched:
            if self._has_next(job_queue):
                self._open[job_queue] = None
            else:
                self._open.pop(job_queue, None)
        self._unfiled.update(self._touched)
        self._touched.clear()
        if len(self._open) < 2:  # noqa: PLR2004 # no choice
            return next(iter(self._open), None)
        self._settle()
        heads = []
        for kind, heap in list(self._kinds.items()):
            while heap and self._filed.get(heap[0][2]) != (kind, heap[0][0]):
                heappop(heap)
            if heap:
                heads.append(heap[0][2])
            else:
                del self._kinds[kind]
        return min(heads, key=self._key, default=None)

    def remove(self, job_queue: JobQueue) -> None:
        """Exclude *job_queue* until it is touched again."""
        self._open.pop(job_queue, None)
        self._filed.pop(job_queue, None)

    def _settle(self) -> None:
        """File job queues by their kinds."""
        for job_queue in self._unfiled:
            if job_queue not in self._open:
                self._filed.pop(job_queue, None)
                continue
            filed = (_kind(job_queue), job_queue.served)
            if self._filed.get(job_queue) != filed:
                self._filed[job_queue] = filed
                heappush(self._kinds.setdefault(filed[0], []), (job_queue.served, job_queue.order, job_queue))
        self._unfiled.clear()


def _kind(job_queue: JobQueue) -> object:
    """Return the inputs of the key of *job_queue*, except its last service and its index."""
    own = (job_queue.priority, tuple(job_queue.taken.items()))
    return (*own, *request_kind(job_queue))


def request_kind(job_queue: JobQueue) -> tuple[object, ...]:
    """Return the inputs of the deserved share of *job_queue*."""
    requested = (job_queue.weight, tuple(job_queue.requested.items()))
    if not job_queue.guarantee and not job_queue.capability:
        return requested
    return (*requested, tuple(job_queue.guarantee.items()), tuple((job_queue.capability or {}).items()))
