"""Events of a run, for the journal, the terminal and reports."""

from __future__ import annotations

from enum import Enum
from typing import Protocol

from pipegen.run.model import Attempt, Outcome, TaskId
from pipegen.run.status import Reason, Status
from pipegen.structs import Struct


class Cause(Enum):
    """The reason why a ready task waits."""

    SLOT = "slot"
    CPU = "cpu"
    MEMORY = "memory"
    LABEL = "label"
    LOCK = "lock"
    BACKOFF = "backoff"
    DELAY = "delay"
    APPROVAL = "approval"
    # An equal task runs, whose result can be reused.
    EQUAL = "equal"


_CAUSES = {
    Cause.SLOT: "a slot",
    Cause.CPU: "processors",
    Cause.MEMORY: "memory",
    Cause.LABEL: "label",
    Cause.LOCK: "lock",
    Cause.BACKOFF: "the next attempt",
    Cause.DELAY: "a delay",
    Cause.APPROVAL: "an approval",
    Cause.EQUAL: "the equal stage",
}


def wait_words(cause: Cause, what: str) -> str:
    """Return what a task waits for: *cause*, and the name of the lock or label, or ""."""
    return f'{_CAUSES[cause]} "{what}"' if what else _CAUSES[cause]


class RunEvent(Struct):
    """An event *time* seconds after the start of the run."""

    time: float


class Ready(RunEvent):
    """All predecessors of the task have ended."""

    task: TaskId


class Waiting(RunEvent):
    """A ready task waits because of *cause*; *what* is the name of the lock, label or stage, or ""."""

    task: TaskId
    cause: Cause
    what: str = ""


class Started(RunEvent):
    """An attempt started."""

    attempt: Attempt


class Ended(RunEvent):
    """An attempt ended; if *is_final*, no other follows.

    If the run is stopped while a task waits for its next attempt, the event is repeated as final.
    """

    attempt: Attempt
    outcome: Outcome
    is_final: bool


class Skipped(RunEvent):
    """The task never starts."""

    task: TaskId
    reason: Reason


class PipelineEnded(RunEvent):
    """A pipeline has ended, including its finally stages."""

    pipeline: str
    status: Status


class Listener(Protocol):
    """A receiver of all events, in order, before the engine continues."""

    def notify(self, event: RunEvent) -> None:
        """Handle *event*."""
        ...
