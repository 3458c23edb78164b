"""Words for the events of a run."""

from __future__ import annotations

from pipegen.run.chart.text import CAUSES
from pipegen.run.events import Cause
from pipegen.run.report.record import StageRecord

_ENDED = {
    "success": "ok",
    "reused": "reused",
    "earlier": "done earlier",
    "failed": "FAILED",
    "allowed": "allowed",
    "cancelled": "cancelled",
}


def wait_words(cause: Cause, what: str = "") -> str:
    """Return the cause of a wait in words."""
    return f'{CAUSES[cause]} "{what}"' if what else CAUSES[cause]


def ended_word(entry: StageRecord, *, is_final: bool = True) -> str:
    """Return the word for the result of the last attempt of *entry*."""
    return _ENDED.get(entry.status, entry.status) if is_final else "again"


def display_name(entry: StageRecord, *, several: bool) -> str:
    """Return the name of the stage of *entry*, with its pipeline if there are *several*."""
    task = entry.task.id
    return f"{task.pipeline}: {task.stage}" if several else task.stage
