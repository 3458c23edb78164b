"""The queue: what may be tried now, what waits out a delay, what waits for an event, and what is in hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Generic

from pipegen.run.scheduling.queue.backoff import Backoff, Delays
from pipegen.run.scheduling.queue.entry import QueuedItem, QueueState, T
from pipegen.run.scheduling.queue.flight import Flight
from pipegen.run.scheduling.queue.heap import Heap, Rank
from pipegen.run.scheduling.queue.hints import ANYTHING, Hints, QueueEvent, Worth, worth
from pipegen.structs import Struct

_DELAYS = Delays()

# Returns whether an item may be tried at all.
Gate = Callable[[T], bool]


class Habits(Struct, kw_only=True):
    """How a queue behaves.

    Attributes:
        delays: how long what has failed waits.
        longest_park: seconds after which a parked item is tried again although nothing woke it: a safety net.
        is_eager: whether a refused item is taken out of its delay when there is nothing else to take.
    """

    delays: Delays = _DELAYS
    longest_park: float = 300.0
    is_eager: bool = True


_HABITS = Habits()


class Queue(Generic[T]):
    """Items in parts: each is active, in backoff, parked, or in flight between `pop` and `done` or `fail`.

    *rank* orders active items, least first. *hints* say which event ends which reason of a refusal. *gates* by name
    hold items back; an event whose hints name the gate lets it be asked again.
    """

    __slots__ = ("_active", "_backoff", "_by_reason", "_entries", "_flight", "_gates", "_habits", "_hints", "_rank")

    def __init__(
        self,
        rank: Callable[[QueuedItem[T]], Rank],
        hints: Hints[T],
        habits: Habits = _HABITS,
        gates: Mapping[str, Gate[T]] | None = None,
    ) -> None:
        self._rank = rank
        self._hints = hints
        self._habits = habits
        self._gates = gates or {}
        self._entries: dict[T, QueuedItem[T]] = {}
        self._active: Heap[T] = Heap()
        self._backoff: Backoff[T] = Backoff(habits.delays, rank)
        # The parked, by each reason that keeps them so.
        self._by_reason: dict[str, dict[T, QueuedItem[T]]] = {}
        self._flight: Flight[T] = Flight()

    def __contains__(self, item: object) -> bool:
        return item in self._entries

    def __iter__(self) -> Iterator[QueuedItem[T]]:
        return iter(self._entries.values())

    def entry(self, item: T) -> QueuedItem[T]:
        """Return what is known of *item*, which is in the queue."""
        return self._entries[item]

    def flight(self) -> Flight[T]:
        """Return what is in flight."""
        return self._flight

    def has_next(self) -> bool:
        """Return whether `pop` has something to take."""
        return len(self._active) > 0 or (self._habits.is_eager and self._backoff.has_refused())

    def has_parked(self) -> bool:
        """Return whether an event may wake anybody."""
        return any(self._by_reason.values())

    def has_waiting(self) -> bool:
        """Return whether anybody is parked or in backoff."""
        return self.has_parked() or len(self._backoff) > 0

    def add(self, item: T, now: float) -> None:
        """Take a new *item*, which may be tried at once if its gates are open."""
        entry = QueuedItem(item=item, since=now)
        self._entries[item] = entry
        self._activate(entry)

    def add_failed(self, item: T, errors: int, now: float) -> None:
        """Take a new *item* that has failed so many times; it waits out the delay first."""
        entry = QueuedItem(item=item, since=now, errors=errors)
        self._entries[item] = entry
        self._back_off(entry)

    def put(self, entry: QueuedItem[T], part: QueueState) -> None:
        """Take an entry with its history into *part*, whatever its gates say."""
        self._entries[entry.item] = entry
        match part:
            case QueueState.BACKOFF:
                self._backoff.push(entry)
            case QueueState.PARKED:
                self._index(entry)
            case _:
                self._active.push(entry, self._rank(entry))
        entry.part = part

    def pop(self, now: float) -> QueuedItem[T] | None:
        """Take the first item, which is then in flight; None if there is nothing to try now."""
        entry = self._active.pop()
        if entry is None and self._habits.is_eager:
            entry = self._backoff.pop_early()
        if entry is None:
            return None
        entry.part = QueueState.IN_FLIGHT
        entry.attempts += 1
        entry.first_try = now if entry.first_try is None else entry.first_try
        self._flight.take(entry)
        return entry

    def done(self, item: T) -> None:
        """Let *item*, which is in flight, leave."""
        self._flight.end(item)
        self._entries.pop(item).part = QueueState.OUT

    def fail(self, item: T, now: float, *, rejectors: tuple[str, ...] = (), pending: tuple[str, ...] = ()) -> None:
        """Take *item*, which is in flight, back: refused for reasons, or, without any, failed.

        What happened since it was taken counts as if it happened now.
        """
        entry = self._entries[item]
        entry.since, entry.rejectors, entry.pending = now, rejectors, pending
        found = Worth.AFTER_BACKOFF
        if entry.reasons:
            entry.refusals, entry.errors = entry.refusals + 1, 0
            found = self._worth_since(entry)
        else:
            entry.errors += 1
        self._flight.end(item)
        self._requeue(entry, found, now)

    def event(self, event: QueueEvent, now: float, only: Callable[[T], bool] | None = None) -> None:
        """Wake those whom *event* helps; *only* narrows it to items it is true of."""
        if event.name != ANYTHING and event.name not in self._hints:
            return
        self._flight.note(event)
        for entry in self._concerned(event):
            if only is None or only(entry.item):
                self._wake(entry, worth(entry, event, self._hints), now)

    def update(self, item: T, now: float, event: QueueEvent | None = None) -> None:
        """Take note that *item* has changed, which is an *event* for it alone; an unknown item is added."""
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
            case QueueState.PARKED if event is not None:
                self._wake(entry, worth(entry, event, self._hints), now)

    def activate(self, item: T) -> None:
        """Let *item* be tried at once, if it is parked or in backoff and its gates are open."""
        entry = self._entries.get(item)
        if entry is not None and entry.part in (QueueState.PARKED, QueueState.BACKOFF):
            self._take_out(entry)
            self._activate(entry)

    def delete(self, item: T) -> None:
        """Forget *item*, wherever it is."""
        entry = self._entries.pop(item)
        self._take_out(entry)
        entry.part = QueueState.OUT

    def flush(self, now: float) -> None:
        """Let those go on whose delay is over."""
        for entry in self._backoff.pop_due(now):
            if self._habits.is_eager:
                # Its gates were asked when it came here.
                self.put(entry, QueueState.ACTIVE)
            else:
                self._activate(entry)

    def flush_parked(self, now: float) -> None:
        """Let those go on who are parked for too long."""
        for entry in [one for one in self._entries.values() if one.part is QueueState.PARKED]:
            if now - entry.since >= self._habits.longest_park:
                self._wake(entry, Worth.AFTER_BACKOFF, now)

    def next_time(self) -> float | None:
        """Return when an item that failed may be tried again; what was refused needs no time, but an event."""
        return self._backoff.next_time()

    def _worth_since(self, entry: QueuedItem[T]) -> Worth:
        """Return what the events make of *entry* that happened while it was in flight."""
        found = {worth(entry, event, self._hints) for event in self._flight.since(entry.item)}
        return next((one for one in (Worth.AT_ONCE, Worth.AFTER_BACKOFF) if one in found), Worth.NOTHING)

    def _concerned(self, event: QueueEvent) -> list[QueuedItem[T]]:
        """Return the parked entries that *event* may help."""
        if event.name == ANYTHING:
            return [entry for entry in self._entries.values() if entry.part is QueueState.PARKED]
        found: dict[T, QueuedItem[T]] = {}
        for reason, _ in self._hints[event.name]:
            found.update(self._by_reason.get(reason, {}))
        return list(found.values())

    def _wake(self, entry: QueuedItem[T], found: Worth, now: float) -> None:
        if found is not Worth.NOTHING:
            self._take_out(entry)
            self._requeue(entry, found, now)

    def _requeue(self, entry: QueuedItem[T], found: Worth, now: float) -> None:
        if found is Worth.NOTHING:
            self._park(entry)
        elif found is Worth.AFTER_BACKOFF and self._backoff.until(entry) > now:
            self._back_off(entry)
        else:
            self._activate(entry)

    def _activate(self, entry: QueuedItem[T]) -> None:
        if self._is_let_through(entry):
            self.put(entry, QueueState.ACTIVE)

    def _back_off(self, entry: QueuedItem[T]) -> None:
        # What is taken early leaves without further ado, so that its gates are asked before.
        if not self._habits.is_eager or self._is_let_through(entry):
            self.put(entry, QueueState.BACKOFF)

    def _is_let_through(self, entry: QueuedItem[T]) -> bool:
        """Return whether all gates are open; park *entry* at the first that is not."""
        entry.gate = next((name for name, gate in self._gates.items() if not gate(entry.item)), "")
        if entry.gate:
            entry.rejectors, entry.pending = (entry.gate,), ()
            self._park(entry)
        return not entry.gate

    def _park(self, entry: QueuedItem[T]) -> None:
        entry.part = QueueState.PARKED
        self._index(entry)

    def _index(self, entry: QueuedItem[T]) -> None:
        for reason in entry.reasons:
            self._by_reason.setdefault(reason, {})[entry.item] = entry

    def _take_out(self, entry: QueuedItem[T]) -> None:
        """Take *entry* out of its part."""
        match entry.part:
            case QueueState.ACTIVE:
                self._active.remove(entry)
            case QueueState.BACKOFF:
                self._backoff.remove(entry)
            case QueueState.PARKED:
                for reason in entry.reasons:
                    self._by_reason[reason].pop(entry.item, None)
            case QueueState.IN_FLIGHT:
                self._flight.end(entry.item)
