"""A machine will do if it has all labels that are asked for."""

from __future__ import annotations

from pipegen.run.scheduling.session import Session
from pipegen.run.scheduling.votes import Votes


def fit(_session: Session) -> Votes:
    """Return votes against machines that lack a label."""
    return Votes(
        is_placeable=lambda queued_task, host: not queued_task.labels or host.labels.issuperset(queued_task.labels)
    )
