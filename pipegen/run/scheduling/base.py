"""The interface between engine and scheduler."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pipegen.run.events import Cause
from pipegen.run.model import Task, TaskId
from pipegen.structs import Struct


class Placement(Struct):
    """A task and its machine, whose resources are reserved."""

    task: Task
    machine: str


class Refusal(Struct):
    """A task that cannot start, and the cause; *what* is the name of the lock or label, or ""."""

    task: Task
    cause: Cause
    what: str


class Cycle(Struct):
    """The result of a scheduling cycle: tasks that start now, and tasks with a new cause to wait."""

    placed: Sequence[Placement]
    refused: Sequence[Refusal]


class Scheduler(Protocol):
    """Owns the queue and the machines, and decides which task starts where; the engine passes the time."""

    def add(self, task: Task, now: float) -> None:
        """Add a task that may start."""
        ...

    def retry(self, task: Task, failures: int, now: float) -> None:
        """Add a task again after its *failures*-th failed attempt, with a backoff."""
        ...

    def cycle(self, now: float) -> Cycle:
        """Run a scheduling cycle; placed tasks are in flight until they are released."""
        ...

    def release(self, task: TaskId, now: float) -> None:
        """Release the resources of a task in flight, and wake tasks that wait for them."""
        ...

    def drop(self, task: TaskId) -> None:
        """Remove a queued task."""
        ...

    def next_time(self) -> float | None:
        """Return the time at which the first backoff ends, None if there is none."""
        ...
