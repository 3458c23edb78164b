"""Statuses and states of stages, and the reasons why a stage never starts."""

from __future__ import annotations

from enum import Enum


class Status(Enum):
    """The status of a stage or pipeline, as finally stages read it."""

    SUCCESS = "success"
    FAILED = "failed"
    SKIPPED = "skipped"
    UNKNOWN = "unknown"


class State(Enum):
    """The state of a stage that has started."""

    RUNNING = "running"
    SUCCESS = "success"
    # No attempts remain.
    FAILED = "failed"


class Reason(Enum):
    """Why a stage never starts."""

    STOPPED = "no further stages start"
    CONDITION = "its condition is false"
    UNNEEDED = "its result is not needed"
    BEFORE = "an earlier stage did not succeed"
    REFUSED = "the approval was refused"
