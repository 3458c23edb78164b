"""What happens in a run, as it is told: to the journal, to the person who watches, to reports."""

from __future__ import annotations

from enum import Enum
from typing import Protocol

from pipegen.run.model import Attempt, Outcome, TaskId
from pipegen.run.outcome import Reason, Status
from pipegen.structs import Struct


class Cause(Enum):
    """What a task that could start waits for."""

    SLOT = "slot"
    CPU = "cpu"
    MEMORY = "memory"
    LABEL = "label"
    LOCK = "lock"
    BACKOFF = "backoff"
    DELAY = "delay"
    APPROVAL = "approval"
    # An equal task is on its way, whose result will do.
    EQUAL = "equal"


class RunEvent(Struct):
    """Something that happened *time* seconds after the run began."""

    time: float


class Ready(RunEvent):
    """Nothing before the task is left to wait for."""

    task: TaskId


class Parked(RunEvent):
    """The task could start, but for *cause*; *what* names the lock, label or machine, "" where nothing does."""

    task: TaskId
    cause: Cause
    what: str = ""


class Started(RunEvent):
    """A try began."""

    attempt: Attempt


class Ended(RunEvent):
    """A try ended; with *is_final* no other follows.

    When the run is stopped while a task waits for its next try, the last one is told again, as final.
    """

    attempt: Attempt
    outcome: Outcome
    is_final: bool


class Skipped(RunEvent):
    """The task never starts."""

    task: TaskId
    reason: Reason


class Over(RunEvent):
    """A pipeline's run has ended, finally stages and all."""

    pipeline: str
    status: Status


class Listener(Protocol):
    """Somebody who hears all events in the order they happen, before the engine goes on."""

    def hear(self, event: RunEvent) -> None:
        """Take note of *event*."""
        ...
