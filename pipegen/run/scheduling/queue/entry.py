"""Entries of the queue."""

from __future__ import annotations

from collections.abc import Hashable
from enum import Enum
from typing import Generic, TypeVar

from pipegen.structs import MutableStruct

T = TypeVar("T", bound=Hashable)


class QueueState(Enum):
    """The part of the queue that holds an item."""

    ACTIVE = "active"
    BACKOFF = "backoff"
    # Waits for an event, or for its gate to open.
    UNSCHEDULABLE = "unschedulable"
    # Popped, but not done or failed yet.
    IN_FLIGHT = "in flight"
    # No longer in the queue.
    OUT = "out"


class QueuedItem(MutableStruct, Generic[T], kw_only=True, eq=False):
    """An item with its history.

    Attributes:
        item: the item.
        since: the time at which it was added or last tried.
        part: its part of the queue.
        attempts: how many times it was popped.
        first_try: the time at which it was first popped.
        refusals: how many times it was refused for any reason.
        errors: how many times in a row it failed without a reason.
        rejectors: the reasons of the last refusal whose events activate it after its backoff.
        pending: the reasons of the last refusal whose events activate it immediately.
        gate: the gate that holds it, or "".
        ticket: the key of its current entry in a heap.
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
        """All reasons of the last refusal; () after an error."""
        return (*self.pending, *self.rejectors)

    @property
    def is_held(self) -> bool:
        """Whether a gate or the backoff of an error holds it, also if there is room."""
        return bool(self.gate) or (self.part is QueueState.BACKOFF and not self.reasons)

    @property
    def failures(self) -> int:
        """The number of failures for the backoff: errors and refusals count separately."""
        return self.errors or self.refusals
