"""The backoff part of the queue, and its delays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import floor
from typing import Generic

from pipegen.run.scheduling.queue.entry import QueuedItem, T
from pipegen.run.scheduling.queue.heap import Heap, Rank
from pipegen.structs import Struct

# 2.0 to this power exceeds any limit without overflow.
_ENOUGH = 64


class Delays(Struct):
    """Seconds after the first failure, doubled by each further failure up to *most*."""

    first: float = 1.0
    most: float = 10.0

    def after(self, failures: int) -> float:
        """Return the delay after *failures* failures."""
        if failures < 1:
            return 0.0
        return min(self.most, self.first * 2.0 ** min(failures - 1, _ENOUGH))


class Backoff(Generic[T]):
    """Entries in backoff: refused ones, which may be popped early, and failed ones."""

    __slots__ = ("_delays", "_failed", "_rank", "_refused")

    def __init__(self, delays: Delays, rank: Callable[[QueuedItem[T]], Rank]) -> None:
        self._delays = delays
        self._rank = rank
        self._refused: Heap[T] = Heap()
        self._failed: Heap[T] = Heap()

    def __len__(self) -> int:
        return len(self._refused) + len(self._failed)

    def until(self, entry: QueuedItem[T]) -> float:
        """Return the end of the delay of *entry*.

        Delays of refused entries end with a second, so that those of one second end together, in the order of ranks.
        """
        end = entry.since + self._delays.after(entry.failures)
        return floor(end) + 1.0 if entry.reasons and entry.failures else end

    def push(self, entry: QueuedItem[T]) -> None:
        """Add *entry*."""
        self._heap(entry).push(entry, (self.until(entry), *self._rank(entry)))

    def remove(self, entry: QueuedItem[T]) -> None:
        """Remove *entry*."""
        self._heap(entry).remove(entry)

    def has_refused(self) -> bool:
        """Return whether `pop_early` returns an entry."""
        return len(self._refused) > 0

    def pop_early(self) -> QueuedItem[T] | None:
        """Remove and return the refused entry whose delay ends first, even before its end."""
        return self._refused.pop()

    def pop_due(self, now: float) -> Iterator[QueuedItem[T]]:
        """Remove and yield all entries whose delay is over."""
        for heap in (self._refused, self._failed):
            while (first := heap.peek()) is not None and self.until(first) <= now:
                heap.pop()
                yield first

    def next_time(self) -> float | None:
        """Return the end of the first delay of failed entries."""
        first = self._failed.peek()
        return self.until(first) if first is not None else None

    def _heap(self, entry: QueuedItem[T]) -> Heap[T]:
        return self._refused if entry.reasons else self._failed
