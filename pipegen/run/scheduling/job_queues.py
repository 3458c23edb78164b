"""Queued tasks, in gangs that start together, in job queues that share the machines.

A job queue is a queue of Volcano, a gang a job, and a queued task a task. In a run, a job queue is a pipeline, a queued
task a stage with its services, and a gang the ready stages of a pipeline with equal requests: if the first of them
cannot start, none can.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from heapq import heappop, heappush
from math import inf
from typing import Any

from pipegen.run.events import Cause
from pipegen.run.model import Task
from pipegen.run.scheduling.amounts import Amounts, add_to, subtract
from pipegen.structs import MutableStruct, field

Key = tuple[Any, ...]


class TaskState(Enum):
    """The state of a queued task."""

    WAITING = "waiting"
    # Room on a machine is reserved, but not free yet.
    PROMISED = "promised"
    # It has its resources; its statement may still be discarded.
    PLACED = "placed"
    RUNNING = "running"
    # It runs until its resources are released for another task.
    RELEASING = "releasing"
    # It ended, or was removed.
    GONE = "gone"


class QueuedTask(MutableStruct, kw_only=True, eq=False):
    """A task that waits for room on a machine.

    Attributes:
        name: the name of the stage.
        gang: its gang.
        requests: the resources that it takes.
        labels: the labels that the machine must have.
        locks: the locks that it holds while it runs.
        priority: higher runs earlier.
        remaining: seconds from its start to the end of the longest path from it.
        order: its index among all tasks, which decides between otherwise equal tasks.
        is_light: whether it requests no counted resources, so that `backfill` places it.
        is_preemptable: whether it may be stopped for another task.
        may_preempt: whether other tasks may be stopped for it.
        since: the time at which it was queued.
        task: the task of the run.
        state: its state.
        node: the machine on which it is placed or promised room, or "".
    """

    name: str
    gang: Gang
    requests: Amounts
    labels: tuple[str, ...] = ()
    locks: tuple[str, ...] = ()
    priority: int = 0
    remaining: float = 0.0
    order: int
    is_light: bool = False
    is_preemptable: bool = False
    may_preempt: bool = True
    since: float = 0.0
    task: Task | None = None
    state: TaskState = TaskState.WAITING
    node: str = ""


class Gang(MutableStruct, kw_only=True, eq=False):
    """Tasks of which a minimum number starts together, or none.

    Attributes:
        name: its name in messages.
        job_queue: its job queue.
        least: the minimum number of tasks that start together.
        minimum: the resources that must be available for its admission; None is no requirement.
        priority: higher runs earlier.
        waiting_time: seconds that it may wait, for `sla`.
        is_alike: whether it stands for many tasks that start one by one and have equal requests, so that if one does
            not fit, none does.
        is_admitted: whether its tasks may be placed.
        size: the number of its tasks.
        placed: the number of tasks that are placed or running.
        promised: the number of tasks with promised room.
        taken: the resources of its placed, promised and running tasks.
        waiting: a heap of tasks to be placed by `allocate`.
        light: a heap of tasks to be placed by `backfill`.
        cause: the cause why its first task waits.
        reported_cause: the cause that was last reported.
        unreported: the tasks whose cause was not reported yet.
        refused_at: the number of tasks placed in all when it was refused because of missing room.
        is_aging: whether it is tried again after a number of further placements.
    """

    name: str
    job_queue: JobQueue
    least: int = 1
    minimum: Amounts | None = None
    priority: int = 0
    waiting_time: float = inf
    is_alike: bool = False
    is_admitted: bool = False
    size: int = 0
    placed: int = 0
    promised: int = 0
    taken: dict[str, float] = field(default_factory=dict)
    waiting: list[tuple[Key, int, QueuedTask]] = field(default_factory=list)
    light: list[tuple[Key, int, QueuedTask]] = field(default_factory=list)
    cause: tuple[Cause, str] = (Cause.SLOT, "")
    reported_cause: tuple[Cause, str] | None = None
    unreported: list[QueuedTask] = field(default_factory=list)
    refused_at: int | None = None
    is_aging: bool = False

    def push(self, queued_task: QueuedTask, key: Key) -> None:
        """Add *queued_task* to the waiting tasks with the given *key*."""
        heappush(self.light if queued_task.is_light else self.waiting, (key, queued_task.order, queued_task))

    def first(self, *, light: bool = False) -> QueuedTask | None:
        """Return the first waiting task."""
        line = self.light if light else self.waiting
        while line and line[0][2].state is not TaskState.WAITING:
            heappop(line)
        return line[0][2] if line else None

    def pop(self, *, light: bool = False) -> QueuedTask | None:
        """Remove and return the first waiting task."""
        queued_task = self.first(light=light)
        if queued_task is not None:
            heappop(self.light if light else self.waiting)
        return queued_task

    def forget(self) -> None:
        """Remove all waiting tasks, which may wait again later."""
        self.waiting.clear()
        self.light.clear()

    def waiting_tasks(self) -> Iterator[QueuedTask]:
        """Yield all waiting tasks, in no particular order."""
        yield from (
            queued_task for _, _, queued_task in (*self.waiting, *self.light) if queued_task.state is TaskState.WAITING
        )


class JobQueue(MutableStruct, kw_only=True, eq=False):
    """The gangs of a pipeline, which share the machines with other job queues.

    Attributes:
        name: the name of the pipeline.
        order: its index among the job queues.
        weight: its share relative to other job queues.
        priority: higher is served earlier.
        capability: the maximum resources that it may take; missing names are unlimited.
        guarantee: the resources reserved for it.
        deserved: the resources that it has a right to, for `capacity`.
        parent: the job queue above it, whose limits hold for it too.
        is_reclaimable: whether its tasks may be stopped for other job queues.
        taken: the resources of its placed, promised and running tasks.
        promised: the part of *taken* that is promised.
        requested: *taken* plus the resources of its waiting tasks.
        admitted: the sum of the minimum resources of its admitted gangs.
        served: the number of tasks placed in all when it was last served.
    """

    name: str
    order: int
    weight: int = 1
    priority: int
    capability: Amounts | None = None
    guarantee: Amounts = field(default_factory=dict)
    deserved: Amounts = field(default_factory=dict)
    parent: JobQueue | None = None
    is_reclaimable: bool = True
    taken: dict[str, float] = field(default_factory=dict)
    promised: dict[str, float] = field(default_factory=dict)
    requested: dict[str, float] = field(default_factory=dict)
    admitted: dict[str, float] = field(default_factory=dict)
    served: int = 0


def count_placed(queued_task: QueuedTask, *, is_promise: bool) -> None:
    """Count *queued_task* as placed, or as promised."""
    gang = queued_task.gang
    if is_promise:
        gang.promised += 1
    else:
        gang.placed += 1
    add_to(gang.taken, queued_task.requests)
    for job_queue in lineage(gang.job_queue):
        add_to(job_queue.taken, queued_task.requests)
        if is_promise:
            add_to(job_queue.promised, queued_task.requests)


def uncount_placed(queued_task: QueuedTask, *, is_promise: bool) -> None:
    """Undo `count_placed`."""
    gang = queued_task.gang
    if is_promise:
        gang.promised -= 1
    else:
        gang.placed -= 1
    subtract(gang.taken, queued_task.requests)
    for job_queue in lineage(gang.job_queue):
        subtract(job_queue.taken, queued_task.requests)
        if is_promise:
            subtract(job_queue.promised, queued_task.requests)


def lineage(job_queue: JobQueue) -> Iterator[JobQueue]:
    """Yield *job_queue*, and the job queues above it."""
    above: JobQueue | None = job_queue
    while above is not None:
        yield above
        above = above.parent
