"""Gangs with a longest waiting time come first, by deadline, and get a reservation after it."""

from __future__ import annotations

from math import inf

from pipegen.run.scheduling.job_queues import Gang
from pipegen.run.scheduling.session import Session
from pipegen.run.scheduling.votes import Vote, Votes


def sla(session: Session) -> Votes:
    """Return votes for the gang whose longest waiting time ends first; after it, the gang is admitted and promised."""

    def late(gang: Gang) -> Vote:
        return Vote.PERMIT if deadline(gang) <= session.now else Vote.ABSTAIN

    return Votes(gang_key=deadline, may_enter=late, is_promised=late)


def deadline(gang: Gang) -> float:
    """Return the end of the longest waiting time of *gang*, infinity if it has none."""
    if gang.waiting_time == inf:
        return inf
    first = gang.first() or gang.first(light=True)
    return first.since + gang.waiting_time if first else inf
