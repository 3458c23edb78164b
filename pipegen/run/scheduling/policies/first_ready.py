"""The stage that has been ready for longest comes first, as on most engines."""

from __future__ import annotations

from pipegen.run.scheduling.session import Session
from pipegen.run.scheduling.votes import Votes


def first_ready(_session: Session) -> Votes:
    """Return votes for the task that has waited longest."""
    return Votes(
        gang_key=lambda gang: min((task.since for task in (gang.first(), gang.first(light=True)) if task), default=0.0),
        queued_task_key=lambda queued_task: queued_task.since,
    )
