"""Scheduled calls in order of time."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import count
from math import inf

Call = Callable[[], None]


class Alarms:
    """A heap of calls by time; calls of the same time keep the order in which they were added."""

    __slots__ = ("_calls", "_heap", "_numbers")

    def __init__(self) -> None:
        self._heap: list[tuple[float, int]] = []
        # Cancelled calls leave this map at once, and the heap when they are due.
        self._calls: dict[int, Call] = {}
        self._numbers = count()

    def add(self, time: float, call: Call) -> Call:
        """Add *call* at *time*; return a function that cancels it, a no-op after the call."""
        number = next(self._numbers)
        self._calls[number] = call
        heapq.heappush(self._heap, (time, number))

        def cancel() -> None:
            self._calls.pop(number, None)

        return cancel

    def next_time(self) -> float | None:
        """Return the time of the next call, None if there is none."""
        while self._heap and self._heap[0][1] not in self._calls:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def take(self, now: float = inf) -> tuple[float, Call] | None:
        """Remove and return the first call that is due by *now*, with its time; None if there is none."""
        time = self.next_time()
        if time is None or time > now:
            return None
        return time, self._calls.pop(heapq.heappop(self._heap)[1])
