"""Items in flight and the events since they were popped, so that no event is lost while they are tried."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from itertools import count
from typing import Generic

from pipegen.run.scheduling.queue.entry import QueuedItem, T
from pipegen.run.scheduling.queue.hints import QueueEvent


class InFlight(Generic[T]):
    """A log of popped items and events, in order; events without an earlier item in flight are dropped."""

    __slots__ = ("_log", "_marks", "_numbers")

    def __init__(self) -> None:
        self._log: OrderedDict[int, T | QueueEvent] = OrderedDict()
        self._marks: dict[T, int] = {}
        self._numbers = count()

    def take(self, entry: QueuedItem[T]) -> None:
        """Note that an item was popped."""
        number = next(self._numbers)
        self._marks[entry.item] = number
        self._log[number] = entry.item

    def note(self, event: QueueEvent) -> None:
        """Log *event* if any item is in flight."""
        if self._marks:
            self._log[next(self._numbers)] = event

    def since(self, item: T) -> Iterator[QueueEvent]:
        """Yield the events since *item* was popped."""
        mark = self._marks[item]
        yield from (entry for number, entry in self._log.items() if number > mark and isinstance(entry, QueueEvent))

    def end(self, item: T) -> None:
        """Remove *item*, and the events that no other item needs."""
        del self._log[self._marks.pop(item)]
        while self._log and isinstance(next(iter(self._log.values())), QueueEvent):
            self._log.popitem(last=False)
