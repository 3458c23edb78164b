"""Retries, timeout and allowed failures of a job."""

from __future__ import annotations

from enum import Enum
from typing import ClassVar

from pipegen.plan.model.conditions import Condition
from pipegen.source.text import Span
from pipegen.structs import SpannedStruct


class Failure(Enum):
    """A kind of failure."""

    SCRIPT = "script"
    # A failure of the machine: a lost agent, an image that cannot be pulled.
    SYSTEM = "system"
    TIMEOUT = "timeout"


class SystemFailure(Enum):
    """A failure of the system that only some engines distinguish."""

    RUNNER = "runner"
    STUCK = "stuck"
    API = "api"
    SCHEDULER = "scheduler"
    DATA = "data"
    UNKNOWN = "unknown"
    UNSUPPORTED = "unsupported"
    PREREQUISITES = "prerequisites"
    STALE = "stale"
    ARCHIVED = "archived"


# Those that `Failure.SYSTEM` means on every engine.
USUAL_SYSTEM_FAILURES = (
    *(SystemFailure.UNKNOWN, SystemFailure.API, SystemFailure.STUCK, SystemFailure.RUNNER),
    *(SystemFailure.SCHEDULER, SystemFailure.DATA),
)


class Retry(SpannedStruct):
    """*count* extra attempts, each from a clean checkout, after failures of the kinds *on* (never empty).

    Of the failures of the system, these are only those *of_system*, unless that is empty.
    """

    count: int
    on: tuple[Failure, ...]
    span: Span
    of_system: tuple[SystemFailure, ...] = ()


class Timeout(SpannedStruct):
    """The longest time for one attempt, in seconds."""

    seconds: int
    span: Span


class AllowFailure(SpannedStruct):
    """Descendants and the run continue after a failure.

    With *exit_codes*, only after one of these codes; with a *condition*, only in runs for which it holds.
    """

    exit_codes: tuple[int, ...]
    span: Span
    condition: Condition | None = None

    @property
    def is_certain(self) -> bool:
        """Whether every failure is allowed, in every run."""
        return not self.exit_codes and self.condition is None


class Limits(SpannedStruct, kw_only=True):
    """The limits of a job; None for no limit."""

    UNCOMPARED: ClassVar = ("interruptible_span",)

    retry: Retry | None = None
    timeout: Timeout | None = None
    allow_failure: AllowFailure | None = None
    # Whether a newer run may cancel the running job; None if the user does not set it.
    interruptible: bool | None = None
    interruptible_span: Span | None = None
