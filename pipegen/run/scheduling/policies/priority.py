"""Higher priorities come first."""

from __future__ import annotations

from pipegen.run.scheduling.session import Session
from pipegen.run.scheduling.votes import Votes


def priority(_session: Session) -> Votes:
    """Return votes for the gang and the task with the highest priority."""
    return Votes(gang_key=lambda gang: -gang.priority, queued_task_key=lambda queued_task: -queued_task.priority)
