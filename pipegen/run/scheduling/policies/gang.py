"""Members of a gang start together, or none does."""

from __future__ import annotations

from pipegen.run.scheduling.job_queues import Gang, Standing
from pipegen.run.scheduling.session import Session
from pipegen.run.scheduling.votes import Vote, Votes


def gang(_session: Session) -> Votes:
    """Return votes by which a gang waits until enough of it has a place; gangs that lack members come first."""
    return Votes(
        gang_key=lambda one: 1.0 if is_ready(one) else 0.0,
        is_ready=is_ready,
        is_promised=lambda one: Vote.PERMIT if _is_enough(one, with_promised=True) else Vote.REJECT,
        is_valid=_is_valid,
    )


def is_ready(gang: Gang) -> bool:
    """Return whether enough of *gang* is placed; members that take nothing count, wherever they are."""
    return _is_enough(gang, with_promised=False)


def _is_enough(gang: Gang, *, with_promised: bool) -> bool:
    counts = [gang.seated, gang.promised] if with_promised else [gang.seated]
    light = sum(queued_task.standing is Standing.WAITING for _, _, queued_task in gang.light)
    if sum(sum(count.values()) for count in counts) + light < gang.least:
        return False
    if gang.least < sum(gang.least_by_role.values()):
        return True
    return all(sum(count.get(role, 0) for count in counts) >= least for role, least in gang.least_by_role.items())


def _is_valid(gang: Gang) -> bool:
    """Return whether *gang* has as many members as must start together."""
    if gang.size < gang.least:
        return False
    if not gang.least_by_role or gang.least < sum(gang.least_by_role.values()):
        return True
    have: dict[str, int] = dict(gang.seated)
    for queued_task in gang.everyone():
        have[queued_task.role] = have.get(queued_task.role, 0) + 1
    return all(have.get(role, 0) >= least for role, least in gang.least_by_role.items())
