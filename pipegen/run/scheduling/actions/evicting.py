"""Stop tasks for others: `preempt` in the same job queue, `reclaim` in others."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pipegen.run.scheduling.amounts import add_to, fits
from pipegen.run.scheduling.job_queues import Gang, JobQueue, QueuedTask, TaskState
from pipegen.run.scheduling.nodes import SchedulerNode
from pipegen.run.scheduling.session import Session
from pipegen.run.scheduling.statement import Statement

# Returns which of the candidates on a machine may be stopped for a task.
Choose = Callable[[QueuedTask, Sequence[QueuedTask]], Sequence[QueuedTask]]


def preempt(session: Session) -> None:
    """Make room for gangs that found none: first by tasks of other gangs, then by tasks of the same gang.

    Tasks are stopped only for gangs with a higher priority in the same job queue.
    """
    for job_queue in session.job_queues.values():
        gangs = [gang for gang in _waiting_gangs(session, job_queue) if session.ballot.is_starving(gang)]
        for is_inside in (False, True):
            for gang in gangs:
                _preempt(session, gang, job_queue, is_inside=is_inside)


def _waiting_gangs(session: Session, job_queue: JobQueue) -> list[Gang]:
    """Return the gangs of *job_queue* with waiting tasks that may be tried, the first one first."""
    gangs = (entry.item for entry in session.queues[job_queue.name] if not entry.is_held)
    return sorted(gangs, key=session.ballot.gang_key)


def _preempt(session: Session, gang: Gang, job_queue: JobQueue, *, is_inside: bool) -> None:
    """Promise room to tasks of *gang*; *is_inside* is whether its own tasks stop for that, or those of others."""

    def is_candidate(candidate: QueuedTask) -> bool:
        return candidate.gang.job_queue is job_queue and (candidate.gang is gang) is is_inside

    _evict(session, gang, is_candidate, session.ballot.preemptable, lambda _: True)


def reclaim(session: Session) -> None:
    """Make room for one task after the other, in the order of job queues and gangs.

    Tasks are stopped of job queues that have more than they deserve, for those that have less.
    """
    for job_queue in sorted(session.job_queues.values(), key=session.ballot.job_queue_key):
        if session.ballot.is_overused(job_queue):
            continue
        for gang in _waiting_gangs(session, job_queue):
            _reclaim(session, gang, job_queue)


def _reclaim(session: Session, gang: Gang, job_queue: JobQueue) -> None:
    ballot = session.ballot

    def is_candidate(candidate: QueuedTask) -> bool:
        other = candidate.gang.job_queue
        return other.is_reclaimable and other is not job_queue

    _evict(session, gang, is_candidate, ballot.reclaimable, lambda task: ballot.is_preemptive(job_queue, task))


def _evict(
    session: Session,
    gang: Gang,
    is_candidate: Callable[[QueuedTask], bool],
    choose: Choose,
    is_preemptive: Callable[[QueuedTask], bool],
) -> None:
    """Promise room to those tasks of *gang* that are *is_preemptive*; none if not enough of them get room."""
    if not _has_victims(session, gang, is_candidate, choose):
        return
    statement = Statement(session.machines)
    refused: list[QueuedTask] = []
    while session.ballot.is_starving(gang) and (queued_task := gang.pop()) is not None:
        if not (
            queued_task.may_preempt
            and is_preemptive(queued_task)
            and _make_room(session, statement, queued_task, is_candidate, choose)
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


def _has_victims(session: Session, gang: Gang, is_candidate: Callable[[QueuedTask], bool], choose: Choose) -> bool:
    """Return whether *choose* names any running candidate for the first task of *gang*.

    One task stands for all of a gang of alike tasks, so that this is fast when there are none.
    """
    first = gang.first()
    candidates = [
        task
        for running, tasks in session.machines.preemptable.items()
        for task in ([next(iter(tasks))] if running.is_alike else tasks)
        if is_candidate(task)
    ]
    return first is not None and bool(candidates) and bool(choose(first, candidates))


def _make_room(
    session: Session,
    statement: Statement,
    queued_task: QueuedTask,
    is_candidate: Callable[[QueuedTask], bool],
    choose: Choose,
) -> bool:
    """Promise room to *queued_task* on the first machine where stopping victims helps; return whether there is one.

    Victims stop from the last one in the order of job queues, gangs and tasks, and no more than necessary. None stops
    for a task that waits for a lock: it could not take the room.
    """
    if session.machines.held(queued_task.locks):
        return False
    for node in session.machines.nodes.values():
        if not session.ballot.is_placeable(queued_task, node):
            continue
        running = [
            task
            for task in node.tasks
            if task.state is TaskState.RUNNING and task.is_preemptable and is_candidate(task)
        ]
        # Policies name victims in this order until enough is left to the others: the last one has worked least.
        candidates = sorted(running, key=lambda candidate: _rank(session, queued_task, candidate), reverse=True)
        victims = choose(queued_task, candidates) if candidates else ()
        if victims and _is_enough(queued_task, node, victims):
            before = len(statement.operations)
            for victim in victims:
                if _fits(session, queued_task, node):
                    break
                statement.evict(victim)
            if _fits(session, queued_task, node) and statement.promise(queued_task, node.name):
                return True
            statement.discard(before)
    return False


def _is_enough(queued_task: QueuedTask, node: SchedulerNode, victims: Sequence[QueuedTask]) -> bool:
    room = node.soon()
    for victim in victims:
        add_to(room, victim.requests)
    return fits(queued_task.requests, room)


def _fits(session: Session, queued_task: QueuedTask, node: SchedulerNode) -> bool:
    return fits(queued_task.requests, node.soon()) and session.ballot.may_start(queued_task)


def _rank(session: Session, queued_task: QueuedTask, candidate: QueuedTask) -> tuple[object, ...]:
    ballot, gang = session.ballot, candidate.gang
    return (
        *ballot.victim_queue_key(gang.job_queue, queued_task.gang.job_queue),
        *ballot.gang_key(gang),
        *ballot.queued_task_key(candidate),
        candidate.since,
        candidate.order,
    )
