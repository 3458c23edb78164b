"""Machines with their idle and reserved resources."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from typing import Any

from pipegen.run.model import RunMachine
from pipegen.run.scheduling.amounts import CPU, MEMORY, SLOTS, Amounts, add_to, subtract


class SchedulerNode:
    """A machine as the scheduler sees it.

    Attributes:
        name: the name of the machine.
        limits: all its resources.
        labels: the labels that tasks can require.
        order: its index among the machines.
        kind: a key that is equal for machines with the same labels and limits.
        is_spare: whether it is stopped when it is idle, so that tasks prefer other machines.
        idle: the resources that no task uses.
        tasks: the tasks that have resources of it.
        releasing: the resources of tasks that were evicted and have not ended yet.
        promised: the resources reserved for tasks that do not fit yet.
        room: the resources that any task may take: idle and not promised.
    """

    __slots__ = (
        "idle",
        "is_spare",
        "kind",
        "labels",
        "limits",
        "name",
        "order",
        "promised",
        "releasing",
        "room",
        "tasks",
    )

    def __init__(self, name: str, limits: Amounts, labels: Iterable[str], order: int) -> None:
        self.name = name
        self.limits = limits
        self.labels = frozenset(labels)
        self.order = order
        # A text, because Python computes its hash only once.
        self.kind = repr((sorted(self.labels), limits))
        self.is_spare = False
        self.idle = dict(limits)
        self.tasks: dict[Any, None] = {}
        self.releasing: dict[str, float] = {}
        self.promised: dict[str, float] = {}
        self.room: Amounts = self.idle

    @property
    def future_room(self) -> Amounts:
        """The resources that can be promised: all limits minus promises, because running tasks will end."""
        return {name: amount - self.promised.get(name, 0) for name, amount in self.limits.items()}

    def soon(self) -> dict[str, float]:
        """Return the resources that no task will have when all evicted tasks have ended."""
        return {name: amount + self.releasing.get(name, 0) for name, amount in self.room.items()}

    def take(self, requested: Amounts) -> None:
        """Take the *requested* amounts from the idle resources."""
        subtract(self.idle, requested)
        self._update_room()

    def give(self, taken: Amounts) -> None:
        """Return *taken* amounts to the idle resources."""
        add_to(self.idle, taken)
        self._update_room()

    def promise(self, requested: Amounts) -> None:
        """Reserve the *requested* amounts, now or as soon as they are idle."""
        add_to(self.promised, requested)
        self._update_room()

    def unpromise(self, requested: Amounts) -> None:
        """Cancel a reservation."""
        subtract(self.promised, requested)
        self.promised = {name: amount for name, amount in self.promised.items() if amount}
        self._update_room()

    def _update_room(self) -> None:
        # Stored because it is read far more often than it changes; without promises, it is the same object as idle.
        if self.promised:
            self.room = {name: amount - self.promised.get(name, 0) for name, amount in self.idle.items()}
        else:
            self.room = self.idle


def node(machine: RunMachine, order: int) -> SchedulerNode:
    """Return *machine*, with index *order*, as an idle node."""
    limits = {SLOTS: machine.slots, CPU: machine.cpu, MEMORY: machine.memory}
    bounded = {name: inf if amount is None else float(amount) for name, amount in limits.items()}
    return SchedulerNode(machine.name, bounded, machine.labels, order)
