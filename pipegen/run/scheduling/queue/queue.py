"""The queue: active, in backoff, unschedulable, and in-flight items."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Generic

from pipegen.run.scheduling.queue.backoff import Backoff, Delays
from pipegen.run.scheduling.queue.entry import QueuedItem, QueueState, T
from pipegen.run.scheduling.queue.heap import Heap, Rank
from pipegen.run.scheduling.queue.hints import Hints, QueueEvent, QueueingStrategy, strategy_for
from pipegen.structs import Struct

_DELAYS = Delays()

# Returns whether an item may be tried at all.
Gate = Callable[[T], bool]


class QueueSettings(Struct, kw_only=True):
    """The settings of a queue.

    Attributes:
        delays: the backoff delays.
        longest_unschedulable: seconds after which an unschedulable item is tried again without an event, for safety.
    """

    delays: Delays = _DELAYS
    longest_unschedulable: float = 300.0


class Queue(Generic[T]):
    """Items that are active, in backoff, unschedulable, or in flight between `pop` and `done` or `fail`.

    *rank* orders active items, lowest first. *hints* define which event ends which reason of a refusal. *gates* by name
    hold items; an event whose hints name the gate causes another check.
    """

    __slots__ = ("_active", "_backoff", "_by_reason", "_entries", "_flight", "_gates", "_hints", "_rank", "_settings")

    def __init__(
        self,
        rank: Callable[[QueuedItem[T]], Rank],
        hints: Hints[T],
        settings: QueueSettings,
        gates: Mapping[str, Gate[T]],
    ) -> None:
        self._rank = rank
        self._hints = hints
        self._settings = settings
        self._gates = gates
        self._entries: dict[T, QueuedItem[T]] = {}
        self._active: Heap[T] = Heap()
        self._backoff: Backoff[T] = Backoff(settings.delays, rank)
        # Unschedulable entries by reason.
        self._by_reason: dict[str, dict[T, QueuedItem[T]]] = {}
        self._flight: _InFlight[T] = _InFlight()

    def __contains__(self, item: object) -> bool:
        return item in self._entries

    def __iter__(self) -> Iterator[QueuedItem[T]]:
        return iter(self._entries.values())

    def entry(self, item: T) -> QueuedItem[T]:
        """Return the entry of *item*, which is in the queue."""
        return self._entries[item]

    def has_next(self) -> bool:
        """Return whether `pop` returns an item."""
        return len(self._active) > 0 or self._backoff.has_refused()

    def has_unschedulable(self) -> bool:
        """Return whether any item is unschedulable."""
        return any(self._by_reason.values())

    def has_waiting(self) -> bool:
        """Return whether any item is unschedulable or in backoff."""
        return self.has_unschedulable() or len(self._backoff) > 0

    def add(self, item: T, now: float) -> None:
        """Add a new *item*, which is active if its gates are open."""
        entry = QueuedItem(item=item, since=now)
        self._entries[item] = entry
        self._activate(entry)

    def add_failed(self, item: T, errors: int, now: float) -> float:
        """Add a new *item* with the backoff of *errors* failures, and return the end of the backoff."""
        entry = QueuedItem(item=item, since=now, errors=errors)
        self._entries[item] = entry
        self._back_off(entry)
        return self._backoff.until(entry)

    def put(self, entry: QueuedItem[T], part: QueueState) -> None:
        """Add an entry with its history to *part*, regardless of gates."""
        self._entries[entry.item] = entry
        match part:
            case QueueState.BACKOFF:
                self._backoff.push(entry)
            case QueueState.UNSCHEDULABLE:
                self._index(entry)
            case _:
                self._active.push(entry, self._rank(entry))
        entry.part = part

    def pop(self, now: float) -> QueuedItem[T] | None:
        """Return the first item, which is then in flight; None if there is none."""
        entry = self._active.pop()
        if entry is None:
            # A refused item is tried before the end of its delay if no item is active.
            entry = self._backoff.pop_early()
        if entry is None:
            return None
        entry.part = QueueState.IN_FLIGHT
        entry.attempts += 1
        entry.first_try = now if entry.first_try is None else entry.first_try
        self._flight.take(entry)
        return entry

    def done(self, item: T) -> None:
        """Remove *item*, which is in flight."""
        self._flight.end(item)
        self._entries.pop(item).part = QueueState.OUT

    def fail(self, item: T, now: float, *, rejectors: tuple[str, ...], pending: tuple[str, ...] = ()) -> None:
        """Return *item*, which is in flight, to the queue: refused for reasons, or without reasons, failed.

        Events since it was popped take effect now.
        """
        entry = self._entries[item]
        entry.since, entry.rejectors, entry.pending = now, rejectors, pending
        strategy = QueueingStrategy.AFTER_BACKOFF
        if entry.reasons:
            entry.refusals, entry.errors = entry.refusals + 1, 0
            strategy = self._strategy_since(entry)
        else:
            entry.errors += 1
        self._flight.end(item)
        self._requeue(entry, strategy, now)

    def event(self, event: QueueEvent, now: float) -> None:
        """Requeue items that *event* helps."""
        if event.name not in self._hints:
            return
        self._flight.note(event)
        for entry in self._concerned(event):
            self._wake(entry, strategy_for(entry, event, self._hints), now)

    def update(self, item: T, now: float, event: QueueEvent | None = None) -> None:
        """Note that *item* has changed, which is an *event* for it alone; add it if it is new."""
        entry = self._entries.get(item)
        if entry is None:
            self.add(item, now)
            return
        match entry.part:
            case QueueState.ACTIVE:
                self._active.remove(entry)
                self._active.push(entry, self._rank(entry))
            case QueueState.IN_FLIGHT if event is not None:
                self._flight.note(event)
            case QueueState.UNSCHEDULABLE if event is not None:
                self._wake(entry, strategy_for(entry, event, self._hints), now)

    def reorder(self) -> None:
        """Order the active items again, as their ranks may have changed."""
        self._active.reorder(self._rank)

    def activate(self, item: T) -> None:
        """Activate *item* if it is in backoff, or if it is unschedulable and its gates are open."""
        entry = self._entries.get(item)
        if entry is None or entry.part not in (QueueState.UNSCHEDULABLE, QueueState.BACKOFF):
            return
        self._take_out(entry)
        if entry.part is QueueState.BACKOFF:
            # Its gates were checked when it was added.
            self.put(entry, QueueState.ACTIVE)
        else:
            self._activate(entry)

    def delete(self, item: T) -> None:
        """Remove *item* from any part."""
        entry = self._entries.pop(item)
        self._take_out(entry)
        entry.part = QueueState.OUT

    def flush(self, now: float) -> None:
        """Activate items whose delay is over."""
        for entry in self._backoff.pop_due(now):
            # Its gates were checked when it was added.
            self.put(entry, QueueState.ACTIVE)

    def flush_unschedulable(self, now: float) -> None:
        """Requeue items that are unschedulable for too long."""
        for entry in [entry for entry in self._entries.values() if entry.part is QueueState.UNSCHEDULABLE]:
            if now - entry.since >= self._settings.longest_unschedulable:
                self._wake(entry, QueueingStrategy.AFTER_BACKOFF, now)

    def next_time(self) -> float | None:
        """Return the end of the first delay of failed items; refused items wait for events."""
        return self._backoff.next_time()

    def _strategy_since(self, entry: QueuedItem[T]) -> QueueingStrategy:
        """Return where *entry* goes after the events during its flight."""
        strategies = {strategy_for(entry, event, self._hints) for event in self._flight.since(entry.item)}
        return next(
            (
                strategy
                for strategy in (QueueingStrategy.IMMEDIATELY, QueueingStrategy.AFTER_BACKOFF)
                if strategy in strategies
            ),
            QueueingStrategy.SKIP,
        )

    def _concerned(self, event: QueueEvent) -> list[QueuedItem[T]]:
        """Return the unschedulable entries that *event* may help."""
        entries: dict[T, QueuedItem[T]] = {}
        for reason, _ in self._hints[event.name]:
            entries.update(self._by_reason.get(reason, {}))
        return list(entries.values())

    def _wake(self, entry: QueuedItem[T], strategy: QueueingStrategy, now: float) -> None:
        if strategy is not QueueingStrategy.SKIP:
            self._take_out(entry)
            self._requeue(entry, strategy, now)

    def _requeue(self, entry: QueuedItem[T], strategy: QueueingStrategy, now: float) -> None:
        if strategy is QueueingStrategy.SKIP:
            self._mark_unschedulable(entry)
        elif strategy is QueueingStrategy.AFTER_BACKOFF and self._backoff.until(entry) > now:
            self._back_off(entry)
        else:
            self._activate(entry)

    def _activate(self, entry: QueuedItem[T]) -> None:
        if self._is_let_through(entry):
            self.put(entry, QueueState.ACTIVE)

    def _back_off(self, entry: QueuedItem[T]) -> None:
        # `pop_early` does not check gates, so they are checked here.
        if self._is_let_through(entry):
            self.put(entry, QueueState.BACKOFF)

    def _is_let_through(self, entry: QueuedItem[T]) -> bool:
        """Return whether all gates are open; if not, mark *entry* as unschedulable."""
        entry.gate = next((name for name, gate in self._gates.items() if not gate(entry.item)), "")
        if entry.gate:
            entry.rejectors, entry.pending = (entry.gate,), ()
            self._mark_unschedulable(entry)
        return not entry.gate

    def _mark_unschedulable(self, entry: QueuedItem[T]) -> None:
        entry.part = QueueState.UNSCHEDULABLE
        self._index(entry)

    def _index(self, entry: QueuedItem[T]) -> None:
        for reason in entry.reasons:
            self._by_reason.setdefault(reason, {})[entry.item] = entry

    def _take_out(self, entry: QueuedItem[T]) -> None:
        """Remove *entry* from its part."""
        match entry.part:
            case QueueState.ACTIVE:
                self._active.remove(entry)
            case QueueState.BACKOFF:
                self._backoff.remove(entry)
            case QueueState.UNSCHEDULABLE:
                for reason in entry.reasons:
                    self._by_reason[reason].pop(entry.item, None)
            case QueueState.IN_FLIGHT:
                self._flight.end(entry.item)


class _InFlight(Generic[T]):
    """Items in flight and the events since they were popped, in order, so that no event is lost while they are tried.

    Events without an earlier item in flight are dropped.
    """

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
