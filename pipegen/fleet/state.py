"""Pipelines and stages in progress, and the state of a load."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from math import inf
from random import Random

from pipegen.fleet.arrivals import times
from pipegen.fleet.distributions import sampler
from pipegen.fleet.measures import LoadMeasures, MachineUse
from pipegen.fleet.model import Fleet, Load
from pipegen.fleet.workflow import Stage
from pipegen.run.scheduling.amounts import add_to
from pipegen.run.scheduling.job_queues import Gang, JobQueue, QueuedTask


class ActiveRun:
    """A pipeline in progress: its stages that are not done, and the open predecessors of each."""

    __slots__ = ("durations", "is_failed", "is_final", "left", "load", "open", "start")

    def __init__(self, load: LoadState, start: float) -> None:
        self.load = load
        self.start = start
        self.open = list(load.workflow.predecessors)
        # The number of stages that are ready or run.
        self.left = 0
        self.durations = [draw() for draw in load.samplers]
        self.is_failed = False
        # Whether its finally stages have begun.
        self.is_final = False


class StageRun(QueuedTask, kw_only=True, eq=False):
    """A stage in progress.

    *ready* is when it was first ready. *since* is when it was last queued, *waited* the seconds that it waited before.
    *attempt* counts its starts, so that the end of a preempted attempt is recognized. *helpers* are its services.
    """

    run: ActiveRun
    stage: Stage
    ready: float
    seconds: float
    started: float = 0.0
    waited: float = 0.0
    attempt: int = 0
    failures: int = 0
    helpers: tuple[QueuedTask, ...] = ()


class AttemptEnd:
    """The end of the current attempt of *stage_run*, which is void if the attempt is stopped before."""

    __slots__ = ("_attempt", "stage_run")

    def __init__(self, stage_run: StageRun) -> None:
        self.stage_run = stage_run
        self._attempt = stage_run.attempt

    @property
    def is_void(self) -> bool:
        """Whether the attempt was stopped."""
        return self.stage_run.attempt != self._attempt


class LoadState:
    """A load during the simulation: its queue, random numbers, and the gang of each stage."""

    def __init__(self, load: Load, queue: JobQueue, fleet: Fleet) -> None:
        self.load, self.queue, self.workflow = load, queue, load.workflow
        stages = load.workflow.stages

        # Each kind of number has its own source, so that the load is the same on other machines.
        def source(*names: str) -> Random:
            return Random(" ".join((str(fleet.seed), load.name, *names)))  # noqa: S311 # a simulation

        self.arrivals = times(load.arrivals, fleet.duration, source("arrivals"))
        self.samplers = [sampler(stage.times.duration, source("duration", stage.name)) for stage in stages]
        self.approvals = {
            stage.index: sampler(stage.times.approval, source("approval", stage.name))
            for stage in stages
            if stage.needs_approval
        }
        self.chance = source("failures").random
        self.measures = LoadMeasures()
        # Only the plugin `sla` reads it.
        self.waiting_time = load.waiting_time if any("sla" in tier for tier in fleet.scheduling.tiers) else inf
        # What all gangs of the load take together.
        self.taken: dict[str, float] = {}
        self.gangs: dict[int, Gang] = {}
        self.uses: dict[tuple[int, int, str], MachineUse] = {}
        # Stages with services wait in line: only the first of equal ones is offered.
        self.lines: dict[int, deque[StageRun]] = {}

    def gang(self, stage: Stage) -> Gang:
        """Return a new gang for *stage* without services, or for one run of it."""
        return Gang(
            name=stage.name,
            job_queue=self.queue,
            priority=self.load.priority,
            waiting_time=self.waiting_time,
            taken=self.taken,
            is_alike=not stage.services,
            least=len(stage.services) + 1,
        )


def stage_run_of(run: ActiveRun, stage: Stage, gang: Gang, orders: Iterator[int], now: float) -> StageRun:
    """Return *stage* of *run* with its services, in *gang*, which is of its own if it has services.

    *orders* yields the next indexes of tasks.
    """
    stage_run = StageRun(
        name=stage.name,
        gang=gang,
        requests=stage.requests,
        labels=stage.labels,
        locks=stage.locks,
        priority=gang.priority,
        remaining=stage.remaining,
        order=next(orders),
        is_light=not stage.requests,
        # Its services would be left alone.
        is_preemptable=stage.is_interruptible and not stage.services,
        may_preempt=run.load.load.may_preempt,
        since=now,
        run=run,
        stage=stage,
        ready=now,
        seconds=run.durations[stage.index],
    )
    if stage.services:
        stage_run.helpers = tuple(
            QueuedTask(
                name=stage.name,
                gang=gang,
                requests=requested,
                priority=stage_run.priority,
                remaining=stage_run.remaining,
                order=next(orders),
                is_light=not requested,
                may_preempt=stage_run.may_preempt,
                since=now,
            )
            for requested in stage.services
        )
        needed: dict[str, float] = {}
        for member in (stage_run, *stage_run.helpers):
            add_to(needed, member.requests)
        gang.minimum = needed
    return stage_run


def job_queues(fleet: Fleet) -> dict[str, JobQueue]:
    """Return the queues of *fleet* for the scheduler, by name."""
    queues = {
        queue.name: JobQueue(
            name=queue.name,
            order=index,
            weight=queue.weight,
            priority=queue.priority,
            capability=queue.capability,
            guarantee=queue.guarantee,
            deserved=queue.deserved,
            is_reclaimable=queue.is_reclaimable,
        )
        for index, queue in enumerate(fleet.queues)
    }
    for queue in fleet.queues:
        queues[queue.name].parent = queues.get(queue.parent)
    return queues
