"""Stop tasks for others: `preempt` in the same job queue, `reclaim` in others."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial

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
    preemptable = session.machines.preemptable
    for job_queue in session.job_queues.values():
        running = _samples(session, [gang for gang in preemptable if gang.job_queue is job_queue])
        if not running:
            continue
        gangs = [gang for gang in _waiting_gangs(session, job_queue) if session.ballot.is_starving(gang)]
        for gang in gangs:
            others = [task for task in running if task.gang is not gang] if gang in preemptable else running
            _evict(session, gang, others, session.ballot.preemptable, lambda _: True)
        for gang in gangs:
            if gang in preemptable:
                _evict(session, gang, _samples(session, [gang]), session.ballot.preemptable, lambda _: True)


def _samples(session: Session, gangs: Sequence[Gang]) -> list[QueuedTask]:
    """Return the running tasks of *gangs* that may be stopped; one task stands for all of a gang of alike tasks."""
    tasks = session.machines.preemptable
    return [task for gang in gangs for task in ([next(iter(tasks[gang]))] if gang.is_alike else tasks[gang])]


def _waiting_gangs(session: Session, job_queue: JobQueue) -> list[Gang]:
    """Return the gangs of *job_queue* with waiting tasks that may be tried, the first one first."""
    gangs = (entry.item for entry in session.queues[job_queue.name] if not entry.is_held)
    return sorted(gangs, key=session.ballot.gang_key)


def reclaim(session: Session) -> None:
    """Make room for one task after the other, in the order of job queues and gangs.

    Tasks are stopped of job queues that have more than they deserve, for those that have less.
    """
    reclaimable = [gang for gang in session.machines.preemptable if gang.job_queue.is_reclaimable]
    if not reclaimable:
        return
    for job_queue in sorted(session.job_queues.values(), key=session.ballot.job_queue_key):
        if session.ballot.is_overused(job_queue):
            continue
        running = _samples(session, [gang for gang in reclaimable if gang.job_queue is not job_queue])
        for gang in _waiting_gangs(session, job_queue) if running else ():
            is_preemptive = partial(session.ballot.is_preemptive, job_queue)
            _evict(session, gang, running, session.ballot.reclaimable, is_preemptive)


def _evict(
    session: Session,
    gang: Gang,
    running: Sequence[QueuedTask],
    choose: Choose,
    is_preemptive: Callable[[QueuedTask], bool],
) -> None:
    """Promise room to those tasks of *gang* that are *is_preemptive*; none if not enough of them get room.

    Tasks of the gangs of *running* stop for that, if *choose* names any of these for the first task: this is fast when
    there are none.
    """
    first = gang.first()
    if first is None or not choose(first, running):
        return
    gangs = frozenset(task.gang for task in running)
    statement = Statement(session.machines)
    refused: list[QueuedTask] = []
    while session.ballot.is_starving(gang) and (queued_task := gang.pop()) is not None:
        if not (
            queued_task.may_preempt
            and is_preemptive(queued_task)
            and _make_room(session, statement, queued_task, gangs, choose)
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


def _make_room(
    session: Session,
    statement: Statement,
    queued_task: QueuedTask,
    gangs: Collection[Gang],
    choose: Choose,
) -> bool:
    """Promise room to *queued_task* on the first machine where stopping victims helps; return whether there is one.

    Victims are tasks of *gangs*. They stop from the last one in the order of job queues, gangs and tasks, and no more
    than necessary. None stops for a task that waits for a lock: it could not take the room.
    """
    if session.machines.held(queued_task.locks):
        return False
    for node in session.machines.nodes.values():
        if not session.ballot.is_placeable(queued_task, node):
            continue
        running = [
            task
            for task in node.tasks
            if task.state is TaskState.RUNNING and task.is_preemptable and task.gang in gangs
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
