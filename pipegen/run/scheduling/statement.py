"""Placements, promises and evictions that are made together or undone together."""

from __future__ import annotations

from enum import Enum

from pipegen.run.scheduling.amounts import add_to, fits, subtract
from pipegen.run.scheduling.job_queues import QueuedTask, TaskState, count_placed, uncount_placed
from pipegen.run.scheduling.machine_state import MachineState
from pipegen.run.scheduling.nodes import SchedulerNode


class ActionKind(Enum):
    """The operation on a task."""

    PLACE = "place"
    PROMISE = "promise"
    EVICT = "evict"


class Statement:
    """A list of placements, promises and evictions, in effect immediately, until it is committed or discarded."""

    __slots__ = ("_machines", "operations")

    def __init__(self, machines: MachineState) -> None:
        self._machines = machines
        self.operations: list[tuple[ActionKind, QueuedTask]] = []

    def place(self, queued_task: QueuedTask, node: str) -> bool:
        """Place *queued_task* on *node* with its locks; return False and change nothing if it does not fit."""
        machine = self._machines.nodes.get(node)
        if machine is None or not fits(queued_task.requests, machine.room) or self._machines.held(queued_task.locks):
            return False
        self._machines.take(queued_task, machine)
        self._record(queued_task, machine, TaskState.PLACED)
        self.operations.append((ActionKind.PLACE, queued_task))
        return True

    def promise(self, queued_task: QueuedTask, node: str) -> bool:
        """Reserve room on *node* for *queued_task*; return False and change nothing if it can never fit."""
        machine = self._machines.nodes.get(node)
        if machine is None or not fits(queued_task.requests, machine.future_room):
            return False
        self._machines.promise(queued_task, machine)
        self._record(queued_task, machine, TaskState.PROMISED)
        self.operations.append((ActionKind.PROMISE, queued_task))
        return True

    def evict(self, queued_task: QueuedTask) -> None:
        """Stop *queued_task*, which runs: its resources are free for promises, and for others when it has ended."""
        node = self._machines.nodes[queued_task.node]
        add_to(node.releasing, queued_task.requests)
        uncount_placed(queued_task, is_promise=False)
        queued_task.state = TaskState.RELEASING
        self.operations.append((ActionKind.EVICT, queued_task))

    def has_promises(self) -> bool:
        """Return whether any operation is a promise."""
        return any(kind is ActionKind.PROMISE for kind, _ in self.operations)

    def commit(self) -> list[QueuedTask]:
        """Mark the placed tasks as running, and return them and the evicted ones; promises stay in this statement."""
        placed = [queued_task for kind, queued_task in self.operations if kind is ActionKind.PLACE]
        for queued_task in placed:
            queued_task.state = TaskState.RUNNING
        evicted = [queued_task for kind, queued_task in self.operations if kind is ActionKind.EVICT]
        self.operations = [operation for operation in self.operations if operation[0] is ActionKind.PROMISE]
        return [*placed, *evicted]

    def discard(self, down_to: int = 0) -> list[QueuedTask]:
        """Undo operations in reverse order until *down_to* are left, and return the tasks that wait again."""
        undone = []
        while len(self.operations) > down_to:
            kind, queued_task = self.operations.pop()
            node = self._machines.nodes[queued_task.node]
            if kind is ActionKind.EVICT:
                subtract(node.releasing, queued_task.requests)
                count_placed(queued_task, is_promise=False)
                queued_task.state = TaskState.RUNNING
                continue
            if kind is ActionKind.PLACE:
                self._machines.give(queued_task, node)
            else:
                self._machines.unpromise(queued_task, node)
            uncount_placed(queued_task, is_promise=kind is ActionKind.PROMISE)
            queued_task.state, queued_task.node = TaskState.WAITING, ""
            undone.append(queued_task)
        return undone

    def merge(self, *others: Statement) -> None:
        """Take over the operations of *others*, which are then empty."""
        for other in others:
            self.operations += other.operations
            other.operations = []

    def _record(self, queued_task: QueuedTask, node: SchedulerNode, state: TaskState) -> None:
        queued_task.state, queued_task.node = state, node.name
        count_placed(queued_task, is_promise=state is TaskState.PROMISED)
