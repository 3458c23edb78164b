"""The inner state of the scheduler, for comparisons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pipegen.run.scheduling.amounts import Amounts
from pipegen.run.scheduling.job_queues import JobQueue
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
