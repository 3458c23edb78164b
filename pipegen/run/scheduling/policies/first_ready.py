"""The stage that has been ready for longest comes first, as on most engines."""

from __future__ import annotations

from pipegen.run.scheduling.session import Session
from pipegen.run.scheduling.votes import Votes


def first_ready(_session: Session) -> Votes:
    """Return votes for the longest wait."""
    return Votes(
        gang_key=lambda gang: min((one.since for one in (gang.first(), gang.first(light=True)) if one), default=0.0),
        queued_task_key=lambda queued_task: queued_task.since,
    )
