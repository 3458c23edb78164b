"""What people are told of a run, in words."""

from __future__ import annotations

from pipegen.run.chart.text import CAUSES
from pipegen.run.events import Cause
from pipegen.run.report.record import StageRecord

_ENDED = {
    "success": "ok",
    "reused": "reused",
    "earlier": "done before",
    "failed": "FAILED",
    "allowed": "allowed",
    "cancelled": "cancelled",
}


def told(cause: Cause, what: str = "") -> str:
    """Return what a stage waits for."""
    return f'{CAUSES[cause]} "{what}"' if what else CAUSES[cause]


def ended_word(entry: StageRecord, *, is_final: bool = True) -> str:
    """Return what came of a try of the stage of *entry*."""
    return _ENDED.get(entry.status, entry.status) if is_final else "again"


def named(entry: StageRecord, *, several: bool) -> str:
    """Return how the stage of *entry* is called; with its pipeline where there are *several*."""
    task = entry.task.id
    return f"{task.pipeline}: {task.stage}" if several else task.stage
