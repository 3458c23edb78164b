"""Room for a task by stopping others: what `preempt` and `reclaim` share."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pipegen.run.scheduling.amounts import add_to, fits
from pipegen.run.scheduling.job_queues import Gang, QueuedTask, TaskState
from pipegen.run.scheduling.nodes import SchedulerNode
from pipegen.run.scheduling.session import Session
from pipegen.run.scheduling.statement import Statement

# Returns which of the candidates on a machine may be stopped for a task.
Choose = Callable[[QueuedTask, Sequence[QueuedTask]], Sequence[QueuedTask]]


def has_victims(session: Session, gang: Gang, is_candidate: Callable[[QueuedTask], bool], choose: Choose) -> bool:
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


def make_room(
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
        running = [task for task in node.tasks if task.state is TaskState.RUNNING and is_candidate(task)]
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
    return fits(queued_task.requests, node.soon()) and session.ballot.may_take(queued_task.gang.job_queue, queued_task)


def _rank(session: Session, queued_task: QueuedTask, candidate: QueuedTask) -> tuple[object, ...]:
    ballot, gang = session.ballot, candidate.gang
    return (
        *ballot.victim_queue_key(gang.job_queue, queued_task.gang.job_queue),
        *ballot.gang_key(gang),
        *ballot.queued_task_key(candidate),
        candidate.since,
        candidate.order,
    )
