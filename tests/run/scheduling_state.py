"""The inner state of the scheduler, for comparisons, and its objects without neighbours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pipegen.run.scheduling.amounts import Amounts
from pipegen.run.scheduling.job_queues import Gang, JobQueue, QueuedTask
from pipegen.run.scheduling.nodes import SchedulerNode
from pipegen.run.scheduling.policies.proportion import distribute
from pipegen.run.scheduling.queue.entry import QueueState, T
from pipegen.run.scheduling.queue.hints import QueueEvent
from pipegen.run.scheduling.queue.queue import Queue
from pipegen.run.scheduling.turns import request_kind


def in_flight(queue: Queue[T]) -> set[T]:
    """Return the items in flight."""
    return {entry.item for entry in queue if entry.part is QueueState.IN_FLIGHT}


def flight_log(queue: Queue[T]) -> list[T | QueueEvent]:
    """Return the items in flight and the events since, in order: the queue hides them."""
    return list(queue._flight._log.values())  # noqa: SLF001


def deserved(job_queues: Iterable[JobQueue], totals: Amounts) -> Mapping[str, Amounts]:
    """Return the deserved share of *totals* of each job queue with requests or a guarantee, computed anew."""
    alike: dict[object, dict[JobQueue, None]] = {}
    for job_queue in job_queues:
        alike.setdefault(request_kind(job_queue), {})[job_queue] = None
    by_kind = distribute(alike, totals)
    return {job_queue.name: by_kind[kind] for kind, group in alike.items() for job_queue in group if kind in by_kind}


def first_queue(name: str, **values: Any) -> JobQueue:
    """Return a job queue with *values*, the first one with the priority 0."""
    return JobQueue(name=name, order=0, priority=0, **values)


def first_task(name: str, gang: Gang, requests: Amounts, **values: Any) -> QueuedTask:
    """Return a queued task with *values*, the first one."""
    return QueuedTask(name=name, gang=gang, requests=requests, order=0, **values)


def first_node(name: str, limits: Amounts, labels: Iterable[str] = ()) -> SchedulerNode:
    """Return a machine, the first one."""
    return SchedulerNode(name, limits, labels, 0)
