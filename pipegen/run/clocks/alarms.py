"""Calls that are due at some time, in order."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import count

Call = Callable[[], None]


class Alarms:
    """A heap of calls by their times; those of one time come in the order they were added."""

    __slots__ = ("_calls", "_heap", "_numbers")

    def __init__(self) -> None:
        self._heap: list[tuple[float, int]] = []
        # Those that are taken back leave this map at once, and the heap when their time comes.
        self._calls: dict[int, Call] = {}
        self._numbers = count()

    def add(self, time: float, call: Call) -> Call:
        """Add *call* at *time*; return what takes it back, a no-op once it was taken out."""
        number = next(self._numbers)
        self._calls[number] = call
        heapq.heappush(self._heap, (time, number))

        def take_back() -> None:
            self._calls.pop(number, None)

        return take_back

    def next_time(self) -> float | None:
        """Return when the next call is due, None without any."""
        while self._heap and self._heap[0][1] not in self._calls:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def take(self, now: float) -> Call | None:
        """Take out and return the first call that is due by *now*, None where none is."""
        time = self.next_time()
        if time is None or time > now:
            return None
        return self._calls.pop(heapq.heappop(self._heap)[1])
