"""The contract of the scheduler: what the engine asks of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pipegen.run.events import Cause
from pipegen.run.model import Task, TaskId
from pipegen.structs import Struct


class Placement(Struct):
    """A task and the machine that it gets; what it takes is taken."""

    task: Task
    machine: str


class Refusal(Struct):
    """A task that is parked, and what it waits for; *what* names the lock or label, "" where nothing does."""

    task: Task
    cause: Cause
    what: str = ""


class Cycle(Struct):
    """What one look at the queue came to: tasks that start now, and those newly parked."""

    placed: Sequence[Placement] = ()
    refused: Sequence[Refusal] = ()


class Scheduler(Protocol):
    """Owns the queue and the machines; decides what starts where. The engine says what time it is."""

    def add(self, task: Task, now: float) -> None:
        """Take a task that may start."""
        ...

    def retry(self, task: Task, failures: int, now: float) -> None:
        """Take a task again whose try has failed, the *failures*-th time; it waits out its backoff first."""
        ...

    def cycle(self, now: float) -> Cycle:
        """Look at the queue once; what is placed is in flight until it is released."""
        ...

    def release(self, task: TaskId, now: float) -> None:
        """Give back what a task in flight has taken, and wake those that wait for just that."""
        ...

    def drop(self, task: TaskId) -> None:
        """Forget a task that is queued and shall not start any more."""
        ...

    def next_time(self) -> float | None:
        """Return when a task in backoff may start again at the earliest, None where time alone changes nothing."""
        ...
