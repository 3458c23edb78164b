"""A machine is suitable if it has all required labels."""

from __future__ import annotations

from pipegen.run.scheduling.session import Session
from pipegen.run.scheduling.votes import Votes


def fit(_session: Session) -> Votes:
    """Return votes against machines that lack a label."""
    return Votes(
        is_placeable=lambda queued_task, node: not queued_task.labels or node.labels.issuperset(queued_task.labels)
    )
