"""Who wants machines: members, in gangs that start together, in lanes that share the machines.

In Volcano's words a lane is a queue, a gang a job and a member a task. In a run of ours a lane is a pipeline, a member
a stage with its services, and a gang the stages of a pipeline that are ready and ask for the same: what holds up the
first of them holds up all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from heapq import heappop, heappush
from typing import Any

from pipegen.run.events import Cause
from pipegen.run.model import Task
from pipegen.run.scheduling.amounts import Amounts, put_to, take_from
from pipegen.structs import MutableStruct, field

Key = tuple[Any, ...]


class Standing(Enum):
    """How far a member is."""

    WAITING = "waiting"
    # Its machine is known, and has no room yet.
    PROMISED = "promised"
    # It has what it takes; the statement that says so may still be undone.
    PLACED = "placed"
    RUNNING = "running"
    # It ended, or is not wanted any more.
    GONE = "gone"


class QueuedTask(MutableStruct, kw_only=True, eq=False):
    """Somebody who needs a place on one machine.

    Attributes:
        name: the stage's, for people.
        gang: those it starts together with.
        asks: how much of a machine it takes.
        labels: what the machine must have.
        locks: what it holds while it runs, alone of all.
        role: those of one role are alike; "" where each is its own.
        priority: the higher, the sooner.
        remaining: seconds from its start to the end of the longest path behind it.
        order: its place among all; it decides where nothing else does.
        is_light: whether it takes none of what is counted, so that it fills in where nobody else gets room.
        since: when it came.
        task: what runs, in a run of ours.
        standing: how far it is.
        host: where it is placed or promised a place, "" where it is not.
    """

    name: str
    gang: Gang
    asks: Amounts
    labels: tuple[str, ...] = ()
    locks: tuple[str, ...] = ()
    role: str = ""
    priority: int = 0
    remaining: float = 0.0
    order: int = 0
    is_light: bool = False
    since: float = 0.0
    task: Task | None = None
    standing: Standing = Standing.WAITING
    host: str = ""


class Gang(MutableStruct, kw_only=True, eq=False):
    """Members of whom at least so many start together, or none.

    Attributes:
        name: for people.
        lane: the lane it is in.
        least: how many start together at least.
        least_by_role: how many of each role do.
        minimum: what it asks for to be admitted; None asks for nothing.
        priority: the higher, the sooner.
        is_alike: whether all its members ask for the same, so that where one has no place, none has.
        is_admitted: whether its members may be placed.
        size: how many members it has.
        seated: how many of them are placed or running, by role.
        promised: how many of them are promised a place.
        taken: what those placed, promised or running take.
        waiting: those to be placed by `allocate`, the first one first.
        light: those to be placed by `backfill`.
        cause: what its first member waits for.
        told: what was told of that.
        untold: those of whom nothing was told yet.
        parked_at: how many members had been placed in all when it was refused for want of room.
        is_aging: whether it is looked at again when more have been.
    """

    name: str
    job_queue: JobQueue
    least: int = 1
    least_by_role: Mapping[str, int] = field(default_factory=dict)
    minimum: Amounts | None = None
    priority: int = 0
    is_alike: bool = False
    is_admitted: bool = False
    size: int = 0
    seated: dict[str, int] = field(default_factory=dict)
    promised: dict[str, int] = field(default_factory=dict)
    taken: dict[str, float] = field(default_factory=dict)
    waiting: list[tuple[Key, int, QueuedTask]] = field(default_factory=list)
    light: list[tuple[Key, int, QueuedTask]] = field(default_factory=list)
    cause: tuple[Cause, str] = (Cause.SLOT, "")
    told: tuple[Cause, str] | None = None
    untold: list[QueuedTask] = field(default_factory=list)
    parked_at: int | None = None
    is_aging: bool = False

    def push(self, queued_task: QueuedTask, key: Key) -> None:
        """Let *queued_task* wait, at the place in line that *key* says."""
        heappush(self.light if queued_task.is_light else self.waiting, (key, queued_task.order, queued_task))

    def first(self, *, light: bool = False) -> QueuedTask | None:
        """Return the first of those who wait."""
        line = self.light if light else self.waiting
        while line and line[0][2].standing is not Standing.WAITING:
            heappop(line)
        return line[0][2] if line else None

    def pop(self, *, light: bool = False) -> QueuedTask | None:
        """Take out the first of those who wait."""
        queued_task = self.first(light=light)
        if queued_task is not None:
            heappop(self.light if light else self.waiting)
        return queued_task

    def everyone(self) -> Iterator[QueuedTask]:
        """Yield all who wait, in no order."""
        yield from (one for _, _, one in (*self.waiting, *self.light) if one.standing is Standing.WAITING)


class JobQueue(MutableStruct, kw_only=True, eq=False):
    """Gangs that share the machines with those of other lanes.

    Attributes:
        name: that of the pipeline.
        order: its place among the lanes.
        weight: how much it gets beside others.
        priority: the higher, the sooner.
        capability: the most it may take, by name; what is not named has no bound.
        guarantee: what is kept for it.
        is_open: whether it takes part.
        taken: what its members take that are placed, promised or running.
        asked: the same with those that wait.
        admitted: what its gangs that are admitted ask for as a minimum.
        served: how many members had been placed in all when it was last served.
    """

    name: str
    order: int = 0
    weight: int = 1
    priority: int = 0
    capability: Amounts | None = None
    guarantee: Amounts = field(default_factory=dict)
    is_open: bool = True
    taken: dict[str, float] = field(default_factory=dict)
    asked: dict[str, float] = field(default_factory=dict)
    admitted: dict[str, float] = field(default_factory=dict)
    served: int = 0


def seat(queued_task: QueuedTask, *, is_promise: bool) -> None:
    """Count *queued_task* among those who have a place, or are promised one."""
    gang = queued_task.gang
    count = gang.promised if is_promise else gang.seated
    count[queued_task.role] = count.get(queued_task.role, 0) + 1
    put_to(gang.taken, queued_task.asks)
    put_to(gang.job_queue.taken, queued_task.asks)


def unseat(queued_task: QueuedTask, *, is_promise: bool) -> None:
    """Count *queued_task* out."""
    gang = queued_task.gang
    count = gang.promised if is_promise else gang.seated
    count[queued_task.role] -= 1
    take_from(gang.taken, queued_task.asks)
    take_from(gang.job_queue.taken, queued_task.asks)
