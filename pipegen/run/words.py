"""What people are told of a run, in words."""

from __future__ import annotations

from pipegen.run.events import Cause
from pipegen.run.record import Entry

_MINUTE, _HOUR = 60, 3600
_CAUSES = {
    Cause.SLOT: "a free slot",
    Cause.CPU: "processors",
    Cause.MEMORY: "memory",
    Cause.LABEL: "a machine with label",
    Cause.LOCK: "the lock",
    Cause.BACKOFF: "another try",
    Cause.DELAY: "its delay",
    Cause.APPROVAL: "a yes",
}
_ENDED = {
    "success": "ok",
    "reused": "reused",
    "earlier": "done before",
    "failed": "FAILED",
    "allowed": "allowed",
    "cancelled": "cancelled",
}


def in_seconds(seconds: float) -> str:
    """Return how long *seconds* are: `0.4 s`, `12 s`, `3 min 20 s`, `1 h 5 min`."""
    if seconds < 10:  # noqa: PLR2004 - below, tenths matter
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < _MINUTE:
        return f"{whole} s"
    if whole < _HOUR:
        return f"{whole // _MINUTE} min {whole % _MINUTE} s"
    return f"{whole // _HOUR} h {whole % _HOUR // _MINUTE} min"


def told(cause: Cause, what: str = "") -> str:
    """Return what a stage waits for."""
    return f'{_CAUSES[cause]} "{what}"' if what else _CAUSES[cause]


def ended_word(entry: Entry, *, is_final: bool = True) -> str:
    """Return what came of a try of the stage of *entry*."""
    return _ENDED.get(entry.status, entry.status) if is_final else "again"


def named(entry: Entry, *, several: bool) -> str:
    """Return how the stage of *entry* is called; with its pipeline where there are *several*."""
    task = entry.task.id
    return f"{task.pipeline}: {task.stage}" if several else task.stage
