"""Place tasks without counted resources: they need only a suitable machine and their locks."""

from __future__ import annotations

from pipegen.run.scheduling.job_queues import Gang
from pipegen.run.scheduling.session import Session
from pipegen.run.scheduling.statement import Statement


def backfill(session: Session) -> None:
    """Place light tasks one by one; those without a machine or lock become unschedulable."""
    while (entry := session.light.pop(session.now)) is not None:
        _fill(session, entry.item)


def _fill(session: Session, gang: Gang) -> None:
    while (queued_task := gang.first(light=True)) is not None:
        node = session.find(queued_task)
        if node is None:
            session.mark_unschedulable(session.light, gang, queued_task)
            return
        gang.pop(light=True)
        statement = Statement(session.machines)
        statement.place(queued_task, node.name)
        session.commit(statement)
    session.light.done(gang)
