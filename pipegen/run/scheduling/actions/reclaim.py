"""Stop tasks of job queues that have more than they deserve, for those that have less."""

from __future__ import annotations

from pipegen.run.scheduling.actions.evicting import has_victims, make_room
from pipegen.run.scheduling.job_queues import Gang, JobQueue, QueuedTask
from pipegen.run.scheduling.session import Session
from pipegen.run.scheduling.statement import Statement


def reclaim(session: Session) -> None:
    """Make room for one task after the other, in the order of job queues and gangs."""
    for job_queue in sorted(session.job_queues.values(), key=session.ballot.job_queue_key):
        if session.ballot.is_overused(job_queue):
            continue
        for gang in session.waiting_gangs(job_queue):
            _make_room(session, gang, job_queue)


def _make_room(session: Session, gang: Gang, job_queue: JobQueue) -> None:
    def is_candidate(candidate: QueuedTask) -> bool:
        other = candidate.gang.job_queue
        return candidate.is_preemptable and other.is_reclaimable and other is not job_queue

    if not has_victims(session, gang, is_candidate, session.ballot.reclaimable):
        return
    ballot = session.ballot
    statement = Statement(session.machines)
    refused: list[QueuedTask] = []
    while ballot.is_starving(gang) and (queued_task := gang.pop()) is not None:
        if not (
            queued_task.may_preempt
            and ballot.is_preemptive(job_queue, queued_task)
            and make_room(session, statement, queued_task, is_candidate, ballot.reclaimable)
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
