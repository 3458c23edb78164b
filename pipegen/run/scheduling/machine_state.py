"""The state of the machines and locks."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator
from math import inf

from pipegen.run.scheduling.amounts import SLOTS, add_to, subtract
from pipegen.run.scheduling.job_queues import Gang, Key, QueuedTask, TaskState
from pipegen.run.scheduling.nodes import SchedulerNode
from pipegen.structs import Struct

# Indexes of machines, by equal resources.
_Alike = dict[Key, list[int]]


class Freed(Struct):
    """Released resources: the names of machines, and locks."""

    nodes: tuple[str, ...] = ()
    locks: tuple[str, ...] = ()


class MachineState:
    """All machines with their free resources, and the holders of locks.

    Attributes:
        nodes: the machines by name.
        totals: the resources of all machines together.
        locks: the holder of each held lock.
        preemptable: the preemptable tasks that have resources, by gang.
    """

    __slots__ = ("_alike", "_by_order", "_free", "_full", "locks", "nodes", "preemptable", "totals")

    def __init__(self, nodes: Iterable[SchedulerNode]) -> None:
        self._by_order: dict[int, SchedulerNode] = {}
        self.nodes: dict[str, SchedulerNode] = {}
        self.totals: dict[str, float] = {}
        self.locks: dict[str, QueuedTask] = {}
        self.preemptable: dict[Gang, dict[QueuedTask, None]] = {}
        # Machines with and without a free slot.
        self._free: _Alike = {}
        self._full: _Alike = {}
        # The entry of each machine in these maps.
        self._alike: dict[int, tuple[_Alike, Key]] = {}
        for node in nodes:
            self.add(node)

    def add(self, node: SchedulerNode) -> None:
        """Add *node*, whose index and name are new."""
        self._by_order[node.order] = self.nodes[node.name] = node
        # Another map for other machines, so that results computed from it are recognized.
        self.totals = dict(self.totals)
        add_to(self.totals, node.limits)
        self._sort(node)

    def remove(self, name: str) -> None:
        """Remove the idle machine *name*."""
        node = self.nodes.pop(name)
        del self._by_order[node.order]
        self.totals = {}
        for other in self.nodes.values():
            add_to(self.totals, other.limits)
        self._unsort(node.order)

    def has_free(self) -> bool:
        """Return whether any machine has a free slot."""
        return bool(self._free)

    def choice(self, *, with_full: bool = False) -> Iterator[SchedulerNode]:
        """Yield the machines with a free slot, or all; of machines with equal state, only the first."""
        for alike in (self._free, self._full) if with_full else (self._free,):
            for orders in alike.values():
                yield self._by_order[orders[0]]

    def held(self, locks: tuple[str, ...]) -> str:
        """Return the first of *locks* that is held, "" if all are free."""
        for lock in locks:
            if lock in self.locks:
                return lock
        return ""

    def take(self, queued_task: QueuedTask, node: SchedulerNode) -> None:
        """Take the resources and locks of *queued_task*."""
        node.take(queued_task.requests)
        node.tasks[queued_task] = None
        if queued_task.is_preemptable:
            self.preemptable.setdefault(queued_task.gang, {})[queued_task] = None
        for lock in queued_task.locks:
            self.locks[lock] = queued_task
        self._sort(node)

    def give(self, queued_task: QueuedTask, node: SchedulerNode) -> None:
        """Release the resources and locks of *queued_task*."""
        node.give(queued_task.requests)
        del node.tasks[queued_task]
        if queued_task.is_preemptable:
            self._forget(queued_task)
        if queued_task.state is TaskState.RELEASING:
            subtract(node.releasing, queued_task.requests)
        for lock in queued_task.locks:
            del self.locks[lock]
        self._sort(node)

    def _forget(self, queued_task: QueuedTask) -> None:
        tasks = self.preemptable[queued_task.gang]
        del tasks[queued_task]
        if not tasks:
            del self.preemptable[queued_task.gang]

    def promise(self, queued_task: QueuedTask, node: SchedulerNode) -> None:
        """Reserve room for *queued_task*."""
        node.promise(queued_task.requests)
        self._sort(node)

    def unpromise(self, queued_task: QueuedTask, node: SchedulerNode) -> None:
        """Cancel the reservation for *queued_task*."""
        node.unpromise(queued_task.requests)
        self._sort(node)

    def _sort(self, node: SchedulerNode) -> None:
        """File *node* with those that have equal labels, limits and resources."""
        order = node.order
        if order in self._alike:
            self._unsort(order)
        # A machine without a slot limit always has one. A promised slot counts: its task may take it.
        alike = self._free if node.idle.get(SLOTS, inf) > 0 else self._full
        key = (node.kind, *node.idle.values(), *node.promised.items())
        if key in alike:
            insort(alike[key], order)
        else:
            alike[key] = [order]
        self._alike[order] = (alike, key)

    def _unsort(self, order: int) -> None:
        """Remove the machine with index *order* from those of equal state."""
        alike, key = self._alike.pop(order)
        orders = alike[key]
        del orders[bisect_left(orders, order)]
        if not orders:
            del alike[key]
