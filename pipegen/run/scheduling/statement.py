"""Places that are taken together, or not at all."""

from __future__ import annotations

from enum import Enum

from pipegen.run.scheduling.amounts import fits
from pipegen.run.scheduling.hosts import SchedulerNode
from pipegen.run.scheduling.job_queues import QueuedTask, Standing, seat, unseat
from pipegen.run.scheduling.places import MachineState


class ActionKind(Enum):
    """What was done for a member."""

    PLACE = "place"
    PROMISE = "promise"


class Statement:
    """A list of places taken and promised, in effect at once, until it is committed or discarded."""

    __slots__ = ("_places", "operations")

    def __init__(self, places: MachineState) -> None:
        self._places = places
        self.operations: list[tuple[ActionKind, QueuedTask]] = []

    def place(self, member: QueuedTask, host: str) -> bool:
        """Give *member* what it asks for on *host*, its locks too; return False, with nothing done, if it cannot be."""
        found = self._places.hosts.get(host)
        if found is None or not fits(member.asks, found.room) or self._places.held(member.locks):
            return False
        self._places.take(member, found)
        self._seat(member, found, Standing.PLACED)
        self.operations.append((ActionKind.PLACE, member))
        return True

    def promise(self, member: QueuedTask, host: str) -> bool:
        """Keep room on *host* for *member*; return False, having done nothing, if it can never have it there."""
        found = self._places.hosts.get(host)
        if found is None or not fits(member.asks, found.future_room):
            return False
        self._places.promise(member, found)
        self._seat(member, found, Standing.PROMISED)
        self.operations.append((ActionKind.PROMISE, member))
        return True

    def has_promises(self) -> bool:
        """Return whether room is promised to anybody."""
        return any(kind is ActionKind.PROMISE for kind, _ in self.operations)

    def commit(self) -> list[QueuedTask]:
        """Let those placed run, and return them; promises stay in this statement."""
        placed = [member for kind, member in self.operations if kind is ActionKind.PLACE]
        for member in placed:
            member.standing = Standing.RUNNING
        self.operations = [one for one in self.operations if one[0] is ActionKind.PROMISE]
        return placed

    def discard(self) -> list[QueuedTask]:
        """Undo all, the last first, and return the members, who wait again."""
        undone = []
        while self.operations:
            kind, member = self.operations.pop()
            host = self._places.hosts[member.host]
            if kind is ActionKind.PLACE:
                self._places.give(member, host)
            else:
                self._places.unpromise(member, host)
            unseat(member, is_promise=kind is ActionKind.PROMISE)
            member.standing, member.host = Standing.WAITING, ""
            undone.append(member)
        return undone

    def merge(self, *others: Statement) -> None:
        """Take over the operations of *others*, which are then empty."""
        for other in others:
            self.operations += other.operations
            other.operations = []

    def _seat(self, member: QueuedTask, host: SchedulerNode, standing: Standing) -> None:
        member.standing, member.host = standing, host.name
        seat(member, is_promise=standing is Standing.PROMISED)
