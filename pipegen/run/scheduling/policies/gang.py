"""The tasks of a gang start together or not at all."""

from __future__ import annotations

from pipegen.run.scheduling.job_queues import Gang, TaskState
from pipegen.run.scheduling.session import Session
from pipegen.run.scheduling.votes import Vote, Votes


def gang(_session: Session) -> Votes:
    """Return votes that start a gang when enough of it is placed.

    Gangs that lack tasks do not come first, because each stage is placed alone. No stage of a gang is stopped.
    """
    return Votes(
        is_ready=is_ready,
        is_promised=lambda gang: Vote.PERMIT if _is_enough(gang, with_promised=True) else Vote.REJECT,
        is_valid=lambda gang: gang.size >= gang.least,
        is_starving=lambda gang: gang.is_alike or not _is_enough(gang, with_promised=True),
    )


def is_ready(gang: Gang) -> bool:
    """Return whether enough of *gang* is placed; waiting light tasks count as placed."""
    return _is_enough(gang, with_promised=False)


def _is_enough(gang: Gang, *, with_promised: bool) -> bool:
    light = sum(queued_task.state is TaskState.WAITING for _, _, queued_task in gang.light)
    return gang.placed + (gang.promised if with_promised else 0) + light >= gang.least
