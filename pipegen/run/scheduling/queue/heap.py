"""A heap that supports removal of any entry."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Any, Generic

from pipegen.run.scheduling.queue.entry import QueuedItem, T

Rank = tuple[Any, ...]


class Heap(Generic[T]):
    """Entries by ascending rank; of equal ranks, the one added first."""

    __slots__ = ("_entries", "_heap", "_tickets")

    def __init__(self) -> None:
        self._heap: list[tuple[Rank, int, QueuedItem[T]]] = []
        self._entries: dict[int, QueuedItem[T]] = {}
        self._tickets = count()

    def __len__(self) -> int:
        return len(self._entries)

    def push(self, entry: QueuedItem[T], rank: Rank) -> None:
        """Add *entry*, which is in no heap."""
        entry.ticket = next(self._tickets)
        self._entries[entry.ticket] = entry
        heappush(self._heap, (rank, entry.ticket, entry))

    def remove(self, entry: QueuedItem[T]) -> None:
        """Remove *entry*; its item in the heap is skipped later."""
        del self._entries[entry.ticket]

    def reorder(self, rank: Callable[[QueuedItem[T]], Rank]) -> None:
        """Order the entries by their new ranks."""
        self._heap = [(rank(entry), ticket, entry) for ticket, entry in self._entries.items()]
        heapify(self._heap)

    def peek(self) -> QueuedItem[T] | None:
        """Return the first entry."""
        while self._heap:
            _, ticket, entry = self._heap[0]
            if ticket in self._entries:
                return entry
            heappop(self._heap)
        return None

    def pop(self) -> QueuedItem[T] | None:
        """Remove and return the first entry."""
        entry = self.peek()
        if entry is not None:
            heappop(self._heap)
            del self._entries[entry.ticket]
        return entry
