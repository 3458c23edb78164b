"""The stage with the longest remaining path comes first."""

from __future__ import annotations

from pipegen.run.scheduling.session import Session
from pipegen.run.scheduling.votes import Votes


def critical_path(_session: Session) -> Votes:
    """Return votes for the longest remaining path."""
    return Votes(
        gang_key=lambda gang: (
            -max([task.remaining for task in (gang.first(), gang.first(light=True)) if task], default=0.0)
        ),
        queued_task_key=lambda queued_task: -queued_task.remaining,
    )
