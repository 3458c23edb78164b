"""How often a job is tried, how long it may take, and what its failure means."""

from __future__ import annotations

from enum import Enum
from typing import ClassVar

from pipegen.source.text import Span
from pipegen.structs import SpannedStruct


class Failure(Enum):
    """A kind of failure."""

    SCRIPT = "script"
    # Of the machine: an agent that is lost, an image that cannot be pulled.
    SYSTEM = "system"
    TIMEOUT = "timeout"


class Retry(SpannedStruct):
    """*count* extra tries, each from a clean checkout, after failures of the kinds *on* (never empty)."""

    count: int
    on: tuple[Failure, ...]
    span: Span


class Timeout(SpannedStruct):
    """How long one try may take, in seconds."""

    seconds: int
    span: Span


class AllowFailure(SpannedStruct):
    """A failure lets descendants and the run go on; with *exit_codes*, only one with such a code."""

    exit_codes: tuple[int, ...]
    span: Span


class Limits(SpannedStruct, kw_only=True):
    """What bounds a job; None where nothing does."""

    UNCOMPARED: ClassVar = ("interruptible_span",)

    retry: Retry | None = None
    timeout: Timeout | None = None
    allow_failure: AllowFailure | None = None
    # Whether a newer run may cancel the job while it runs; None where the user does not say.
    interruptible: bool | None = None
    interruptible_span: Span | None = None
