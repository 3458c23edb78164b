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

    def place(self, queued_task: QueuedTask, host: str) -> bool:
        """Give *queued_task* what it asks for on *host*, with its locks; return False, unchanged, if it cannot."""
        found = self._places.hosts.get(host)
        if found is None or not fits(queued_task.asks, found.room) or self._places.held(queued_task.locks):
            return False
        self._places.take(queued_task, found)
        self._seat(queued_task, found, Standing.PLACED)
        self.operations.append((ActionKind.PLACE, queued_task))
        return True

    def promise(self, queued_task: QueuedTask, host: str) -> bool:
        """Keep room on *host* for *queued_task*; return False, having done nothing, if it can never have it there."""
        found = self._places.hosts.get(host)
        if found is None or not fits(queued_task.asks, found.future_room):
            return False
        self._places.promise(queued_task, found)
        self._seat(queued_task, found, Standing.PROMISED)
        self.operations.append((ActionKind.PROMISE, queued_task))
        return True

    def has_promises(self) -> bool:
        """Return whether room is promised to anybody."""
        return any(kind is ActionKind.PROMISE for kind, _ in self.operations)

    def commit(self) -> list[QueuedTask]:
        """Let those placed run, and return them; promises stay in this statement."""
        placed = [queued_task for kind, queued_task in self.operations if kind is ActionKind.PLACE]
        for queued_task in placed:
            queued_task.standing = Standing.RUNNING
        self.operations = [one for one in self.operations if one[0] is ActionKind.PROMISE]
        return placed

    def discard(self) -> list[QueuedTask]:
        """Undo all, the last first, and return the members, who wait again."""
        undone = []
        while self.operations:
            kind, queued_task = self.operations.pop()
            host = self._places.hosts[queued_task.host]
            if kind is ActionKind.PLACE:
                self._places.give(queued_task, host)
            else:
                self._places.unpromise(queued_task, host)
            unseat(queued_task, is_promise=kind is ActionKind.PROMISE)
            queued_task.standing, queued_task.host = Standing.WAITING, ""
            undone.append(queued_task)
        return undone

    def merge(self, *others: Statement) -> None:
        """Take over the operations of *others*, which are then empty."""
        for other in others:
            self.operations += other.operations
            other.operations = []

    def _seat(self, queued_task: QueuedTask, host: SchedulerNode, standing: Standing) -> None:
        queued_task.standing, queued_task.host = standing, host.name
        seat(queued_task, is_promise=standing is Standing.PROMISED)
