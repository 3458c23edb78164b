"""Whose turn it is among lanes: with many of them, without looking at each whenever one slot is free."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any

from pipegen.run.scheduling.job_queues import JobQueue, Key


class Turns:
    """Lanes that have somebody to place, by what their keys are made of.

    Lanes that ask for the same and have the same stand alike, but for who was served longest ago: of many pipelines
    only one of each kind has to be compared. *key* is where a lane stands, *has_next* whether it has anybody.
    """

    __slots__ = ("_filed", "_has_next", "_key", "_kinds", "_touched")

    def __init__(self, key: Callable[[JobQueue], Key], has_next: Callable[[JobQueue], bool]) -> None:
        self._key, self._has_next = key, has_next
        # Of each kind, the lanes with when they were served; those that are filed elsewhere by now are passed over.
        self._kinds: dict[Any, list[tuple[int, int, JobQueue]]] = {}
        self._filed: dict[JobQueue, tuple[Any, int]] = {}
        self._touched: dict[JobQueue, None] = {}

    def touch(self, job_queue: JobQueue) -> None:
        """Note that *job_queue* asks for or has more or less, was served, or may have somebody to place."""
        self._touched[job_queue] = None

    def first(self) -> JobQueue | None:
        """Return the lane whose turn it is, None where none has anybody to place."""
        self._settle()
        if len(self._filed) == 1:
            return next(iter(self._filed))
        heads = []
        for kind, line in list(self._kinds.items()):
            while line and self._filed.get(line[0][2]) != (kind, line[0][0]):
                heappop(line)
            if line:
                heads.append(line[0][2])
            else:
                del self._kinds[kind]
        return min(heads, key=self._key, default=None)

    def remove(self, job_queue: JobQueue) -> None:
        """Let *job_queue* have no turn until it is touched again."""
        self._filed.pop(job_queue, None)

    def _settle(self) -> None:
        for job_queue in self._touched:
            if not self._has_next(job_queue):
                self.remove(job_queue)
                continue
            place = (_kind(job_queue), job_queue.served)
            if self._filed.get(job_queue) != place:
                self._filed[job_queue] = place
                heappush(self._kinds.setdefault(place[0], []), (job_queue.served, job_queue.order, job_queue))
        self._touched.clear()


def _kind(job_queue: JobQueue) -> object:
    """Return all that a key of *job_queue* is made of, but for when it was served, and its own place."""
    own = (job_queue.priority, job_queue.is_open, tuple(job_queue.taken.items()))
    return (*own, *asked_kind(job_queue))


def asked_kind(job_queue: JobQueue) -> tuple[object, ...]:
    """Return all that decides what *job_queue* deserves."""
    asked = (job_queue.weight, tuple(job_queue.asked.items()))
    if not job_queue.guarantee and not job_queue.capability:
        return asked
    return (*asked, tuple(job_queue.guarantee.items()), tuple((job_queue.capability or {}).items()))
