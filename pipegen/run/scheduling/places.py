"""The machines and the locks: what there is to take."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator
from math import inf

from pipegen.run.scheduling.amounts import SLOTS, put_to
from pipegen.run.scheduling.hosts import SchedulerNode
from pipegen.run.scheduling.job_queues import Key, QueuedTask

# Machines that have the same left, by their places in order.
_Alike = dict[Key, list[int]]


class MachineState:
    """All machines with what they have left, and who holds which lock.

    Attributes:
        hosts: the machines by name.
        totals: what all machines have together.
        locks: who holds each lock that is held.
    """

    __slots__ = ("_alike", "_by_order", "_free", "_full", "hosts", "locks", "totals")

    def __init__(self, hosts: Iterable[SchedulerNode]) -> None:
        self._by_order = tuple(hosts)
        self.hosts = {host.name: host for host in self._by_order}
        self.totals: dict[str, float] = {}
        self.locks: dict[str, QueuedTask] = {}
        # Those that have a slot to give, and the others.
        self._free: _Alike = {}
        self._full: _Alike = {}
        # Where each machine stands in these.
        self._alike: dict[int, tuple[_Alike, Key]] = {}
        for host in self._by_order:
            put_to(self.totals, host.limits)
            self._sort(host)

    def has_free(self) -> bool:
        """Return whether any machine has a slot to give."""
        return bool(self._free)

    def choice(self, *, with_full: bool = False) -> Iterator[SchedulerNode]:
        """Yield the machines that have a slot to give, or all; of those that are alike, only the first."""
        for alike in (self._free, self._full) if with_full else (self._free,):
            for orders in alike.values():
                yield self._by_order[orders[0]]

    def held(self, locks: tuple[str, ...]) -> str:
        """Return the first of *locks* that somebody holds, "" if all are to be had."""
        for lock in locks:
            if lock in self.locks:
                return lock
        return ""

    def take(self, queued_task: QueuedTask, host: SchedulerNode) -> None:
        """Take what *queued_task* asks for, its locks too."""
        host.take(queued_task.asks)
        for lock in queued_task.locks:
            self.locks[lock] = queued_task
        self._sort(host)

    def give(self, queued_task: QueuedTask, host: SchedulerNode) -> None:
        """Give back what *queued_task* had taken."""
        host.give(queued_task.asks)
        for lock in queued_task.locks:
            del self.locks[lock]
        self._sort(host)

    def promise(self, queued_task: QueuedTask, host: SchedulerNode) -> None:
        """Keep room for *queued_task*."""
        host.promise(queued_task.asks)
        self._sort(host)

    def unpromise(self, queued_task: QueuedTask, host: SchedulerNode) -> None:
        """Keep no room for *queued_task* any more."""
        host.unpromise(queued_task.asks)
        self._sort(host)

    def _sort(self, host: SchedulerNode) -> None:
        """Put *host* to those that are like it: with the same labels, and the same in all and left."""
        place = host.order
        if place in self._alike:
            alike, key = self._alike[place]
            orders = alike[key]
            del orders[bisect_left(orders, place)]
            if not orders:
                del alike[key]
        # What counts no slots always has one. A slot that is promised counts: to whom it is promised may take it.
        alike = self._free if host.idle.get(SLOTS, inf) > 0 else self._full
        key = (host.kind, *host.idle.values(), tuple(host.promised.items()))
        insort(alike.setdefault(key, []), place)
        self._alike[place] = (alike, key)
