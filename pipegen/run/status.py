"""Statuses of stages and pipelines, and the reasons why a stage never starts."""

from __future__ import annotations

from enum import Enum


class Status(Enum):
    """The status of a stage or pipeline, as finally stages read it; a stage that runs is UNKNOWN."""

    SUCCESS = "success"
    FAILED = "failed"
    SKIPPED = "skipped"
    UNKNOWN = "unknown"


class Reason(Enum):
    """Why a stage never starts."""

    STOPPED = "no further stages start"
    CONDITION = "its condition is false"
    RESULT = "the pipeline has another result"
    UNNEEDED = "its result is not needed"
    BEFORE = "an earlier stage did not succeed"
    REFUSED = "the approval was refused"
