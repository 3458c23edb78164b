"""Items that were taken, and what has happened since: no event is lost between taking and parking."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from itertools import count
from typing import Generic

from pipegen.run.scheduling.queue.entry import QueuedItem, T
from pipegen.run.scheduling.queue.hints import QueueEvent


class Flight(Generic[T]):
    """A log of items taken and events, in order; it holds no event that no item in flight has seen."""

    __slots__ = ("_log", "_marks", "_numbers")

    def __init__(self) -> None:
        self._log: OrderedDict[int, T | QueueEvent] = OrderedDict()
        self._marks: dict[T, int] = {}
        self._numbers = count()

    def __len__(self) -> int:
        return len(self._marks)

    def __iter__(self) -> Iterator[T]:
        return iter(self._marks)

    def __contains__(self, item: object) -> bool:
        return item in self._marks

    def take(self, entry: QueuedItem[T]) -> None:
        """Note that an item is taken."""
        number = next(self._numbers)
        self._marks[entry.item] = number
        self._log[number] = entry.item

    def note(self, event: QueueEvent) -> None:
        """Note that *event* happened, if an item is in flight that it may help."""
        if self._marks:
            self._log[next(self._numbers)] = event

    def since(self, item: T) -> Iterator[QueueEvent]:
        """Yield the events since *item* was taken."""
        mark = self._marks[item]
        yield from (what for number, what in self._log.items() if number > mark and isinstance(what, QueueEvent))

    def end(self, item: T) -> None:
        """Forget *item*, and the events that nobody else needs."""
        del self._log[self._marks.pop(item)]
        while self._log and isinstance(next(iter(self._log.values())), QueueEvent):
            self._log.popitem(last=False)

    def log(self) -> tuple[T | QueueEvent, ...]:
        """Return items and events in the order they came."""
        return tuple(self._log.values())
