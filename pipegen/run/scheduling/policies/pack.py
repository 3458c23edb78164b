"""Which of several machines: keep those with special labels, and those with much room, for who needs them."""

from __future__ import annotations

from math import inf

from pipegen.run.scheduling.amounts import CPU, MEMORY, SLOTS
from pipegen.run.scheduling.hosts import SchedulerNode
from pipegen.run.scheduling.job_queues import Key, QueuedTask
from pipegen.run.scheduling.session import Session
from pipegen.run.scheduling.votes import Votes


def pack(_session: Session) -> Votes:
    """Return votes for the machine with the fewest labels beyond those asked for; then, with the least room."""
    return Votes(host_key=_key)


def _key(queued_task: QueuedTask, host: SchedulerNode) -> Key:
    left = host.idle.get
    return (len(host.labels) - len(queued_task.labels), left(SLOTS, inf), left(MEMORY, inf), left(CPU, inf))
