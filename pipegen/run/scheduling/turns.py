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

    __slots__ = ("_filed", "_has_next", "_key", "_kinds", "_touched")

    def __init__(self, key: Callable[[JobQueue], Key], has_next: Callable[[JobQueue], bool]) -> None:
        self._key, self._has_next = key, has_next
        # By kind, a heap of job queues by last service; entries that were filed elsewhere since are skipped.
        self._kinds: dict[Any, list[tuple[int, int, JobQueue]]] = {}
        self._filed: dict[JobQueue, tuple[Any, int]] = {}
        self._touched: dict[JobQueue, None] = {}

    def touch(self, job_queue: JobQueue) -> None:
        """Note that the requests, resources, service or tasks of *job_queue* may have changed."""
        self._touched[job_queue] = None

    def first(self) -> JobQueue | None:
        """Return the next job queue, None if none has tasks to place."""
        self._settle()
        if len(self._filed) == 1:
            return next(iter(self._filed))
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
        self._filed.pop(job_queue, None)

    def _settle(self) -> None:
        for job_queue in self._touched:
            if not self._has_next(job_queue):
                self.remove(job_queue)
                continue
            filed = (_kind(job_queue), job_queue.served)
            if self._filed.get(job_queue) != filed:
                self._filed[job_queue] = filed
                heappush(self._kinds.setdefault(filed[0], []), (job_queue.served, job_queue.order, job_queue))
        self._touched.clear()


def _kind(job_queue: JobQueue) -> object:
    """Return the inputs of the key of *job_queue*, except its last service and its index."""
    own = (job_queue.priority, job_queue.is_open, tuple(job_queue.taken.items()))
    return (*own, *request_kind(job_queue))


def request_kind(job_queue: JobQueue) -> tuple[object, ...]:
    """Return the inputs of the deserved share of *job_queue*."""
    requested = (job_queue.weight, tuple(job_queue.requested.items()))
    if not job_queue.guarantee and not job_queue.capability:
        return requested
    return (*requested, tuple(job_queue.guarantee.items()), tuple((job_queue.capability or {}).items()))
