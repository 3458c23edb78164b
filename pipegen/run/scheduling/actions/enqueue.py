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
    ballot, by_lane = session.ballot, defaultdict[str, list[Gang]](list)
    for gang in session.entering:
        by_lane[gang.lane.name].append(gang)
    session.entering = [gang for gang in session.entering if gang.lane.name not in session.lanes]
    lanes = [(ballot.lane_key(lane), lane) for lane in session.lanes.values() if by_lane[lane.name]]
    heapify(lanes)
    gangs = {lane.name: deque(sorted(by_lane[lane.name], key=ballot.gang_key)) for _, lane in lanes}
    while lanes:
        _, lane = heappop(lanes)
        gang = gangs[lane.name].popleft()
        if gang.minimum is None or ballot.may_enter(gang):
            ballot.entered(gang)
            session.admit(gang)
        else:
            session.entering.append(gang)
        if gangs[lane.name]:
            heappush(lanes, (ballot.lane_key(lane), lane))
