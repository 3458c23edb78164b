"""What the queue knows of one item."""

from __future__ import annotations

from collections.abc import Hashable
from enum import Enum
from typing import Generic, TypeVar

from pipegen.structs import MutableStruct

T = TypeVar("T", bound=Hashable)


class QueueState(Enum):
    """Where in the queue an item is: in exactly one part."""

    ACTIVE = "active"
    BACKOFF = "backoff"
    # Waits for an event, or for its gate to open.
    PARKED = "parked"
    # Popped, and not yet done or failed.
    IN_FLIGHT = "in flight"
    # No longer in the queue.
    OUT = "out"


class QueuedItem(MutableStruct, Generic[T], kw_only=True, eq=False):
    """An item with its history.

    Attributes:
        item: what is queued.
        since: when it came in, or was last tried.
        part: where it is.
        attempts: how often it was popped.
        first_try: when it was popped for the first time.
        refusals: how often it was refused, by whatever reason.
        errors: how often in a row it failed for none.
        rejectors: the reasons of the last refusal; their events let it go on after its backoff.
        pending: further reasons, whose events let it go on at once.
        gate: the gate that holds it, "" where none does.
        ticket: marks its place in a heap; one that was given up has an older one.
    """

    item: T
    since: float
    part: QueueState = QueueState.OUT
    attempts: int = 0
    first_try: float | None = None
    refusals: int = 0
    errors: int = 0
    rejectors: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()
    gate: str = ""
    ticket: int = -1

    @property
    def reasons(self) -> tuple[str, ...]:
        """All reasons of the last refusal; none after an error."""
        return (*self.pending, *self.rejectors)

    @property
    def failures(self) -> int:
        """How often it failed, as its backoff counts: refusals do not lengthen that of errors, nor they theirs."""
        return self.errors or self.refusals
