"""Events, and who of those that wait is helped by one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any

from pipegen.run.scheduling.queue.entry import QueuedItem, T
from pipegen.structs import Struct


class QueueEvent(Struct):
    """Something that may help items on: its name, and what hints need to know of it."""

    name: str
    what: Any = None


# Helps all items whatever they wait for, or the one that it is about.
ANYTHING = "anything"


class Hint(Enum):
    """Whether an event helps an item; what is UNSURE counts as HELPS."""

    HELPS = "helps"
    DOES_NOT = "does not"
    UNSURE = "unsure"


class Worth(Enum):
    """What becomes of an item after an event."""

    NOTHING = "nothing"
    AFTER_BACKOFF = "after backoff"
    AT_ONCE = "at once"


# By the name of an event, the reasons it may end and, for each, whether it does for an item.
Hints = Mapping[str, Sequence[tuple[str, Callable[[T, QueueEvent], Hint]]]]


def worth(entry: QueuedItem[T], event: QueueEvent, hints: Hints[T]) -> Worth:
    """Return what becomes of *entry*: only the reasons of its refusal are asked, no longer than needed."""
    if event.name == ANYTHING:
        return Worth.AFTER_BACKOFF if event.what in (None, entry.item) else Worth.NOTHING
    found = Worth.NOTHING
    for reason, hint in hints.get(event.name, ()):
        is_pending = reason in entry.pending
        if not is_pending and (found is Worth.AFTER_BACKOFF or reason not in entry.rejectors):
            continue
        if hint(entry.item, event) is Hint.DOES_NOT:
            continue
        if is_pending:
            return Worth.AT_ONCE
        if not entry.pending:
            return Worth.AFTER_BACKOFF
        found = Worth.AFTER_BACKOFF
    return found
