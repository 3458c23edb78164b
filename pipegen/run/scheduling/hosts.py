"""What a machine has left."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

from pipegen.run.model import RunMachine
from pipegen.run.scheduling.amounts import CPU, MEMORY, SLOTS, Amounts, put_to, take_from


class SchedulerNode:
    """A machine as the scheduler sees it.

    Attributes:
        name: that of the machine.
        limits: all it has.
        labels: what may be asked of it.
        order: its place among the machines, from 0.
        kind: what machines have in common that have the same labels and limits.
        idle: what nobody has taken.
        promised: what is kept for members that do not fit yet; they may take it, others may not.
        room: what anybody may take: idle and not promised.
    """

    __slots__ = ("idle", "kind", "labels", "limits", "name", "order", "promised", "room")

    def __init__(self, name: str, limits: Amounts, labels: Iterable[str] = (), order: int = 0) -> None:
        self.name = name
        self.limits = limits
        self.labels = frozenset(labels)
        self.order = order
        self.kind = (tuple(sorted(self.labels)), tuple(limits.items()))
        self.idle = dict(limits)
        self.promised: dict[str, float] = {}
        self.room: Amounts = self.idle

    @property
    def future_room(self) -> Amounts:
        """What may be promised: all that runs here ends some time."""
        return {name: amount - self.promised.get(name, 0) for name, amount in self.limits.items()}

    def take(self, asked: Amounts) -> None:
        """Take what is *asked* for out of what is idle."""
        take_from(self.idle, asked)
        self._keep_room()

    def give(self, taken: Amounts) -> None:
        """Give back what was taken."""
        put_to(self.idle, taken)
        self._keep_room()

    def promise(self, asked: Amounts) -> None:
        """Keep what is *asked* for from others, now or as soon as it is given back."""
        put_to(self.promised, asked)
        self._keep_room()

    def unpromise(self, asked: Amounts) -> None:
        """Take a promise back."""
        take_from(self.promised, asked)
        self.promised = {name: amount for name, amount in self.promised.items() if amount}
        self._keep_room()

    def _keep_room(self) -> None:
        # Asked for far more often than it changes; without promises it is what is idle, whatever becomes of that.
        if self.promised:
            self.room = {name: amount - self.promised.get(name, 0) for name, amount in self.idle.items()}
        else:
            self.room = self.idle


def host(machine: RunMachine, order: int) -> SchedulerNode:
    """Return *machine*, which stands at place *order*, with all it has left."""
    limits = {SLOTS: machine.slots, CPU: machine.cpu, MEMORY: machine.memory}
    bounded = {name: inf if amount is None else float(amount) for name, amount in limits.items()}
    return SchedulerNode(machine.name, bounded, machine.labels, order)
