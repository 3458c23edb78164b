"""Admit gangs: only those are placed for which there is some prospect."""

from __future__ import annotations

from collections import defaultdict, deque
from heapq import heapify, heappop, heappush

from pipegen.run.scheduling.job_queues import Gang
from pipegen.run.scheduling.session import Session


def enqueue(session: Session) -> None:
    """Admit the gangs that nobody rejects, one of each lane at a time; the others are asked again in the next cycle.

    A gang that asks for nothing in advance is always admitted. One in a lane that is not there waits for it.
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
            ballot.entered(gang)
            session.admit(gang)
        else:
            session.entering.append(gang)
        if gangs[job_queue.name]:
            heappush(job_queues, (ballot.job_queue_key(job_queue), job_queue))
