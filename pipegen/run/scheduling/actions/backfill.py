"""Fill in members that take nothing of what is counted: they need no room, only the right machine and their locks."""

from __future__ import annotations

from pipegen.run.scheduling.job_queues import Gang
from pipegen.run.scheduling.session import Session
from pipegen.run.scheduling.statement import Statement


def backfill(session: Session) -> None:
    """Place all such members, each by itself; who finds no machine, or a lock held, is parked."""
    while (entry := session.light.pop(session.now)) is not None:
        _fill(session, entry.item)


def _fill(session: Session, gang: Gang) -> None:
    while (queued_task := gang.first(light=True)) is not None:
        host = session.find(queued_task)
        if host is None:
            session.park(session.light, gang, queued_task)
            return
        gang.pop(light=True)
        statement = Statement(session.places)
        statement.place(queued_task, host.name)
        session.commit(statement)
    session.light.done(gang)
