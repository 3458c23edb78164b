"""Place members: of the lane that is to be served, the gang that comes first, as far as there is room."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.run.scheduling.job_queues import Gang, JobQueue, QueuedTask
from pipegen.run.scheduling.session import SIZE, Session
from pipegen.run.scheduling.statement import Statement


def allocate(session: Session) -> None:
    """Place the members of all gangs that can be, until no machine has a slot to give.

    A gang that does not fit is parked and holds up nobody; one that many have overtaken is promised room.
    """
    session.age()
    overused: list[JobQueue] = []
    while session.places.has_free() and (job_queue := session.turns.first()) is not None:
        if session.ballot.is_overused(job_queue):
            overused.append(job_queue)
            session.turns.remove(job_queue)
        elif _serve(session, job_queue):
            session.turns.touch(job_queue)
        else:
            session.turns.remove(job_queue)
    for job_queue in overused:
        session.turns.touch(job_queue)


def _serve(session: Session, job_queue: JobQueue) -> bool:
    """Look at the first gang of *job_queue*; return False if there is none."""
    queue = session.queues[job_queue.name]
    entry = queue.pop(session.now)
    if entry is None:
        return False
    gang = entry.item
    if not session.ballot.is_valid(gang):
        queue.fail(gang, session.now, rejectors=(SIZE,))
        return True
    kept = session.unpledge(gang)
    statement = Statement(session.places)
    refused = _place(session, gang, statement)
    _conclude(session, gang, statement, refused)
    if kept.hosts:
        session.wake(kept)
    return True


def _conclude(session: Session, gang: Gang, statement: Statement, refused: QueuedTask | None) -> None:
    """Let the gang start if enough of it is placed, else undo it; queue it again, or park it."""
    queue = session.queues[gang.job_queue.name]
    if session.ballot.is_ready(gang):
        if statement.operations and refused is None:
            gang.parked_at = None
        session.commit(statement)
    if statement.has_promises() and session.ballot.is_promised(gang):
        session.pledge(gang, statement)
    else:
        session.undo(statement)
    if refused is not None:
        session.park(queue, gang, refused)
        return
    queue.done(gang)
    if gang.first() is not None:
        queue.add(gang, session.now)


def _place(session: Session, gang: Gang, statement: Statement) -> QueuedTask | None:
    """Place members of *gang* until enough are, then one by one; return the first who finds no place."""
    failed: dict[str, QueuedTask] = {}
    passed: list[QueuedTask] = []
    while (queued_task := gang.pop()) is not None:
        if queued_task.role in failed or not session.ballot.may_take(gang.job_queue, queued_task):
            passed.append(queued_task)
            continue
        host = session.find(queued_task)
        if host is None:
            failed.setdefault(queued_task.role or queued_task.name, queued_task)
            if not _promise(session, queued_task, statement):
                passed.append(queued_task)
            if gang.is_alike or not _may_go_on(gang, tuple(failed.values())):
                break
            continue
        statement.place(queued_task, host.name)
        if session.ballot.is_ready(gang) and gang.first() is not None:
            # Others may come first now; whoever found no place is looked at again after them.
            failed.clear()
            break
    else:
        failed.update((queued_task.name, queued_task) for queued_task in passed)
    for queued_task in passed:
        session.wait(queued_task)
    return next(iter(failed.values()), None)


def _promise(session: Session, queued_task: QueuedTask, statement: Statement) -> bool:
    """Keep room for *queued_task* if it is its turn for that, and only room is lacking."""
    if not session.is_aged(queued_task.gang) or session.places.held(queued_task.locks):
        return False
    host = session.find_future(queued_task)
    return host is not None and statement.promise(queued_task, host.name)


def _may_go_on(gang: Gang, failed: Sequence[QueuedTask]) -> bool:
    """Return whether *gang* can still start although there is no place for those who *failed*, nor for their like."""
    if gang.least == gang.size:
        return False
    if gang.least < sum(gang.least_by_role.values()):
        roles = {one.role for one in failed}
        left = sum(queued_task.role not in roles for _, _, queued_task in gang.waiting)
        return sum(gang.seated.values()) + left >= gang.least
    return all(gang.seated.get(one.role, 0) >= gang.least_by_role.get(one.role, 0) for one in failed)
