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

    def touch(self, lane: JobQueue) -> None:
        """Note that *lane* asks for or has more or less, was served, or may have somebody to place."""
        self._touched[lane] = None

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

    def remove(self, lane: JobQueue) -> None:
        """Let *lane* have no turn until it is touched again."""
        self._filed.pop(lane, None)

    def _settle(self) -> None:
        for lane in self._touched:
            if not self._has_next(lane):
                self.remove(lane)
                continue
            place = (_kind(lane), lane.served)
            if self._filed.get(lane) != place:
                self._filed[lane] = place
                heappush(self._kinds.setdefault(place[0], []), (lane.served, lane.order, lane))
        self._touched.clear()


def _kind(lane: JobQueue) -> object:
    """Return all that a key of *lane* is made of, but for when it was served, and its own place."""
    own = (lane.priority, lane.is_open, tuple(lane.taken.items()))
    return (*own, *asked_kind(lane))


def asked_kind(lane: JobQueue) -> tuple[object, ...]:
    """Return all that decides what *lane* deserves."""
    asked = (lane.weight, tuple(lane.asked.items()))
    if not lane.guarantee and not lane.capability:
        return asked
    return (*asked, tuple(lane.guarantee.items()), tuple((lane.capability or {}).items()))
