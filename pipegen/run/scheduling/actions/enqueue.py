"""Admit gangs: only admitted gangs are placed."""

from __future__ import annotations

from collections import defaultdict, deque
from heapq import heapify, heappop, heappush

from pipegen.run.scheduling.job_queues import Gang
from pipegen.run.scheduling.session import Session


def enqueue(session: Session) -> None:
    """Admit gangs that no policy rejects, in turn from each job queue; the others are tried again in the next cycle.

    A gang without a minimum is always admitted. A gang of an unknown job queue waits for it.
    """
    if not session.entering:
        return
    ballot, by_job_queue = session.ballot, defaultdict[str, list[Gang]](list)
    for gang in session.entering:
        by_job_queue[gang.job_queue.name].append(gang)
    session.entering = [gang for gang in session.entering if gang.job_queue.name not in session.job_queues]
    job_queues = [
        (ballot.job_queue_key(job_queue), job_queue)
        for job_queue in session.job_queues.values()
        if by_job_queue[job_queue.name]
    ]
    heapify(job_queues)
    gangs = {
        job_queue.name: deque(sorted(by_job_queue[job_queue.name], key=ballot.gang_key)) for _, job_queue in job_queues
    }
    while job_queues:
        _, job_queue = heappop(job_queues)
        gang = gangs[job_queue.name].popleft()
        if gang.minimum is None or ballot.may_enter(gang):
            session.admit(gang)
        else:
            session.entering.append(gang)
        if gangs[job_queue.name]:
            heappush(job_queues, (ballot.job_queue_key(job_queue), job_queue))
