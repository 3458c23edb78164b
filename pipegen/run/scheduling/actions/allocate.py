"""Place tasks: of the next job queue, the first gang, as far as there is room."""

from __future__ import annotations

from pipegen.run.scheduling.job_queues import Gang, JobQueue, QueuedTask
from pipegen.run.scheduling.session import LIMIT, SIZE, Session
from pipegen.run.scheduling.statement import Statement


def allocate(session: Session) -> None:
    """Place tasks of all gangs until no machine has a free slot.

    A gang that does not fit blocks no other; if many tasks have overtaken it, room is reserved for it.
    """
    session.age()
    # Tasks were stopped for these: others might take what their job queue may have before they start.
    for redeeming in session.redeeming():
        _serve(session, redeeming)
        session.turns.touch(redeeming)
    overused: list[JobQueue] = []
    while session.machines.has_free() and (job_queue := session.turns.first()) is not None:
        if session.ballot.is_overused(job_queue) and job_queue not in session.redeeming():
            overused.append(job_queue)
            session.turns.remove(job_queue)
        elif _serve(session, job_queue):
            session.turns.touch(job_queue)
        else:
            session.turns.remove(job_queue)
    for job_queue in overused:
        session.turns.touch(job_queue)


def _serve(session: Session, job_queue: JobQueue) -> bool:
    """Try the first gang of *job_queue*; return False if there is none."""
    queue = session.queues[job_queue.name]
    if session.ballot.changes_ranks:
        queue.reorder()
    entry = queue.pop(session.now)
    if entry is None:
        return False
    gang = entry.item
    if not session.ballot.is_valid(gang):
        queue.fail(gang, session.now, rejectors=(SIZE,))
        return True
    if session.keep_pledge(queue, gang):
        return True
    freed = session.unpledge(gang)
    if gang.is_alike and _start_next(session, gang):
        queue.done(gang)
        if gang.first() is not None:
            queue.add(gang, session.now)
        if freed.nodes:
            session.wake(freed, were_promised=True)
        return True
    statement = Statement(session.machines)
    refused = _place(session, gang, statement)
    _conclude(session, gang, statement, refused)
    if freed.nodes:
        session.wake(freed, were_promised=True)
    return True


def _start_next(session: Session, gang: Gang) -> bool:
    """Start the next task of *gang*, which needs no other; return whether it finds room.

    It is a statement of one operation, in half of the time.
    """
    queued_task = gang.first()
    if queued_task is None or not session.ballot.may_take(gang.job_queue, queued_task):
        return False
    node = session.find(queued_task)
    if node is None:
        return False
    gang.pop()
    gang.refused_at = None
    session.start(queued_task, node)
    return True


def _conclude(session: Session, gang: Gang, statement: Statement, refused: QueuedTask | None) -> None:
    """Start the gang if enough of it is placed, else undo it; then queue it again or mark it as unschedulable."""
    queue = session.queues[gang.job_queue.name]
    is_limited = refused is not None and not session.ballot.may_start(refused)
    if session.ballot.is_ready(gang):
        if statement.operations and refused is None:
            gang.refused_at = None
        session.commit(statement)
    if statement.has_promises() and session.ballot.is_promised(gang):
        session.pledge(gang, statement)
    else:
        session.undo(statement)
    if refused is not None:
        session.mark_unschedulable(queue, gang, refused, *(LIMIT,) * is_limited)
        return
    queue.done(gang)
    if gang.first() is not None:
        queue.add(gang, session.now)


def _place(session: Session, gang: Gang, statement: Statement) -> QueuedTask | None:
    """Place tasks of *gang* until enough are placed, then one by one; return the first that finds no room."""
    refused: QueuedTask | None = None
    unplaced: list[QueuedTask] = []
    while (queued_task := gang.pop()) is not None:
        if not session.ballot.may_take(gang.job_queue, queued_task):
            unplaced.append(queued_task)
            if gang.is_alike:
                refused = queued_task
                break
            continue
        node = session.find(queued_task)
        if node is None:
            refused = refused or queued_task
            if not _promise(session, queued_task, statement):
                unplaced.append(queued_task)
            if gang.is_alike or gang.least == gang.size:
                break
            continue
        statement.place(queued_task, node.name)
        if session.ballot.is_ready(gang) and gang.first() is not None:
            # Other gangs may come first now; tasks without room are tried again after them.
            refused = None
            break
    else:
        refused = refused or next(iter(unplaced), None)
    for queued_task in unplaced:
        session.wait(queued_task)
    return refused


def _promise(session: Session, queued_task: QueuedTask, statement: Statement) -> bool:
    """Reserve room for *queued_task* if its gang is aged and only room is missing."""
    if not session.is_aged(queued_task.gang, queued_task) or session.machines.held(queued_task.locks):
        return False
    node = session.find_future(queued_task)
    return node is not None and statement.promise(queued_task, node.name)
