"""Stop tasks for others with a higher priority in the same job queue."""

from __future__ import annotations

from pipegen.run.scheduling.actions.evicting import has_victims, make_room
from pipegen.run.scheduling.job_queues import Gang, JobQueue, QueuedTask
from pipegen.run.scheduling.session import Session
from pipegen.run.scheduling.statement import Statement


def preempt(session: Session) -> None:
    """Make room for gangs that found none: first by tasks of other gangs, then by tasks of the same gang.

    Tasks are stopped only if enough of the gang has room then.
    """
    for job_queue in session.job_queues.values():
        gangs = [gang for gang in session.waiting_gangs(job_queue) if session.ballot.is_starving(gang)]
        for gang in gangs:
            _make_room(session, gang, job_queue, is_inside=False)
        for gang in gangs:
            _make_room(session, gang, job_queue, is_inside=True)


def _make_room(session: Session, gang: Gang, job_queue: JobQueue, *, is_inside: bool) -> None:
    """Promise room to tasks of *gang*; *is_inside* is whether its own tasks stop for that, or those of others."""

    def is_candidate(candidate: QueuedTask) -> bool:
        return (
            candidate.is_preemptable and candidate.gang.job_queue is job_queue and (candidate.gang is gang) is is_inside
        )

    if not has_victims(session, gang, is_candidate, session.ballot.preemptable):
        return
    statement = Statement(session.machines)
    refused: list[QueuedTask] = []
    while session.ballot.is_starving(gang) and (queued_task := gang.pop()) is not None:
        if not queued_task.may_preempt or not make_room(
            session, statement, queued_task, is_candidate, session.ballot.preemptable
        ):
            refused.append(queued_task)
            if gang.is_alike:
                break
    if statement.operations and session.ballot.is_promised(gang):
        session.commit(statement)
        session.pledge(gang, statement)
    else:
        session.undo(statement)
    for queued_task in refused:
        session.wait(queued_task)
