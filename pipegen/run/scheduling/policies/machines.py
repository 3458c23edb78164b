"""The choice of a machine: one that has all labels; machines with special labels or much room are kept free."""

from __future__ import annotations

from math import inf

from pipegen.run.scheduling.amounts import CPU, MEMORY, SLOTS
from pipegen.run.scheduling.job_queues import Key, QueuedTask
from pipegen.run.scheduling.nodes import SchedulerNode
from pipegen.run.scheduling.session import Session
from pipegen.run.scheduling.votes import Votes


def fit(_session: Session) -> Votes:
    """Return votes against machines that lack a label."""
    return Votes(
        is_placeable=lambda queued_task, node: not queued_task.labels or node.labels.issuperset(queued_task.labels)
    )


def pack(_session: Session) -> Votes:
    """Return votes for the machine with the fewest unneeded labels, then with the least room; spares come last."""
    return Votes(node_key=_key)


def _key(queued_task: QueuedTask, node: SchedulerNode) -> Key:
    idle = node.idle.get
    labels = len(node.labels) - len(queued_task.labels)
    return (labels, node.is_spare, idle(SLOTS, inf), idle(MEMORY, inf), idle(CPU, inf))
