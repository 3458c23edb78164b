"""The tasks of a gang start together or not at all."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.run.scheduling.job_queues import Gang, QueuedTask, TaskState
from pipegen.run.scheduling.session import Session
from pipegen.run.scheduling.votes import Vote, Votes


def gang(_session: Session) -> Votes:
    """Return votes that start a gang when enough of it is placed; gangs that lack tasks come first."""
    return Votes(
        gang_key=lambda gang: 1.0 if is_ready(gang) else 0.0,
        is_ready=is_ready,
        is_promised=lambda gang: Vote.PERMIT if _is_enough(gang, with_promised=True) else Vote.REJECT,
        is_valid=_is_valid,
        is_starving=lambda gang: gang.is_alike or not _is_enough(gang, with_promised=True),
        preemptable=_victims,
        reclaimable=_victims,
    )


def is_ready(gang: Gang) -> bool:
    """Return whether enough of *gang* is placed; waiting light tasks count as placed."""
    return _is_enough(gang, with_promised=False)


def _is_enough(gang: Gang, *, with_promised: bool) -> bool:
    counts = [gang.placed, gang.promised] if with_promised else [gang.placed]
    light = sum(queued_task.state is TaskState.WAITING for _, _, queued_task in gang.light)
    if sum(sum(count.values()) for count in counts) + light < gang.least:
        return False
    if gang.least < sum(gang.least_by_role.values()):
        return True
    return all(sum(count.get(role, 0) for count in counts) >= least for role, least in gang.least_by_role.items())


def _is_valid(gang: Gang) -> bool:
    """Return whether *gang* has as many tasks as must start together."""
    if gang.size < gang.least:
        return False
    if not gang.least_by_role or gang.least < sum(gang.least_by_role.values()):
        return True
    have: dict[str, int] = dict(gang.placed)
    for queued_task in gang.waiting_tasks():
        have[queued_task.role] = have.get(queued_task.role, 0) + 1
    return all(have.get(role, 0) >= least for role, least in gang.least_by_role.items())


def _victims(_queued_task: QueuedTask, candidates: Sequence[QueuedTask]) -> Sequence[QueuedTask]:
    """Return the candidates without which their gangs still have their minimum; alike tasks start one by one."""
    spare: dict[Gang, int] = {}
    victims = []
    for candidate in candidates:
        gang = candidate.gang
        spare_tasks = spare.setdefault(gang, sum(gang.placed.values()) - gang.least)
        if spare_tasks > 0 or gang.is_alike:
            spare[gang] = spare_tasks - 1
            victims.append(candidate)
    return victims
