"""Events, and the hints that decide which items an event activates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any

from pipegen.run.scheduling.queue.entry import QueuedItem, T
from pipegen.structs import Struct


class QueueEvent(Struct):
    """An event that may activate items: its name, and its data for hints."""

    name: str
    what: Any = None


class Hint(Enum):
    """Whether an event helps an item."""

    HELPS = "helps"
    DOES_NOT = "does not"


class QueueingStrategy(Enum):
    """Where an item goes after an event."""

    SKIP = "skip"
    AFTER_BACKOFF = "after backoff"
    IMMEDIATELY = "immediately"


# By the name of an event: the reasons that it may end, each with a function that returns whether it helps an item.
Hints = Mapping[str, Sequence[tuple[str, Callable[[T, QueueEvent], Hint]]]]


def strategy_for(entry: QueuedItem[T], event: QueueEvent, hints: Hints[T]) -> QueueingStrategy:
    """Return where *entry* goes after *event*: only the reasons of its refusal are examined, as few as necessary."""
    strategy = QueueingStrategy.SKIP
    for reason, hint in hints.get(event.name, ()):
        is_pending = reason in entry.pending
        if not is_pending and (strategy is QueueingStrategy.AFTER_BACKOFF or reason not in entry.rejectors):
            continue
        if hint(entry.item, event) is Hint.DOES_NOT:
            continue
        if is_pending:
            return QueueingStrategy.IMMEDIATELY
        if not entry.pending:
            return QueueingStrategy.AFTER_BACKOFF
        strategy = QueueingStrategy.AFTER_BACKOFF
    return strategy
