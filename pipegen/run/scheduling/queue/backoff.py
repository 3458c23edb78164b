"""How long what has failed waits, and the part of the queue where it does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic

from pipegen.run.scheduling.queue.entry import QueuedItem, T
from pipegen.run.scheduling.queue.heap import Heap, Rank
from pipegen.structs import Struct

# 2.0 to this power is beyond any limit, and still a number.
_ENOUGH = 64


class Delays(Struct):
    """Seconds after the first failure, doubled by each further one up to *most*; none without failures."""

    first: float = 1.0
    most: float = 10.0

    def after(self, failures: int) -> float:
        """Return the delay after so many failures."""
        if failures < 1:
            return 0.0
        return min(self.most, self.first * 2.0 ** min(failures - 1, _ENOUGH))


class Backoff(Generic[T]):
    """Entries that wait out a delay: those refused, who may be taken early, and apart from them those that failed."""

    __slots__ = ("_delays", "_failed", "_rank", "_refused")

    def __init__(self, delays: Delays, rank: Callable[[QueuedItem[T]], Rank]) -> None:
        self._delays = delays
        self._rank = rank
        self._refused: Heap[T] = Heap()
        self._failed: Heap[T] = Heap()

    def __len__(self) -> int:
        return len(self._refused) + len(self._failed)

    def __iter__(self) -> Iterator[QueuedItem[T]]:
        yield from self._refused
        yield from self._failed

    def until(self, entry: QueuedItem[T]) -> float:
        """Return when the delay of *entry* is over."""
        return entry.since + self._delays.after(entry.failures)

    def push(self, entry: QueuedItem[T]) -> None:
        """Let *entry* wait."""
        self._heap(entry).push(entry, (self.until(entry), *self._rank(entry)))

    def remove(self, entry: QueuedItem[T]) -> None:
        """Take *entry* out."""
        self._heap(entry).remove(entry)

    def has_refused(self) -> bool:
        """Return whether `pop_early` has something to take."""
        return len(self._refused) > 0

    def pop_early(self) -> QueuedItem[T] | None:
        """Take out the entry whose delay is over first, whether it is or not; never one that failed."""
        return self._refused.pop()

    def pop_due(self, now: float) -> Iterator[QueuedItem[T]]:
        """Take out all entries whose delay is over."""
        for heap in (self._refused, self._failed):
            while (first := heap.peek()) is not None and self.until(first) <= now:
                heap.pop()
                yield first

    def next_time(self) -> float | None:
        """Return when the first of those that failed may go on."""
        first = self._failed.peek()
        return self.until(first) if first is not None else None

    def _heap(self, entry: QueuedItem[T]) -> Heap[T]:
        return self._refused if entry.reasons else self._failed
