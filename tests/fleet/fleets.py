"""Fleets for tests: stages of a chain, and machines with slots."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from pipegen.fleet.arrivals import WEEK_HOURS, Arrivals, Rates
from pipegen.fleet.distributions import Distribution, FixedTime
from pipegen.fleet.model import Fleet, FleetQueue, Load, MachineGroup
from pipegen.fleet.workflow import FleetPipeline, Stage, StageTimes
from pipegen.run.model import RunMachine
from pipegen.run.scheduling.plugins import Scheduling
from pipegen.source.text import SourceFile, Span
from pipegen.structs import replace

DAY = 86_400.0
ACTIONS = ("enqueue", "allocate", "backfill")


def stage_times(duration: Distribution, *, approval: float = 0.0, failure: float = 0.0) -> StageTimes:
    """Return the times of a stage; *approval* always takes the same time."""
    return StageTimes(duration=duration, approval=FixedTime(approval), failure=failure)


def chain(*durations: Distribution, interruptible: bool = False) -> FleetPipeline:
    """Return a workflow whose stages run one after the other, each in a slot."""
    last = len(durations) - 1
    stages = tuple(
        Stage(
            index=index,
            name=f"s{index}",
            successors=(index + 1,) if index < last else (),
            requests={"slots": 1.0},
            services=(),
            labels=(),
            locks=(),
            is_interruptible=interruptible,
            needs_approval=False,
            delay=0.0,
            retries=0,
            may_fail=False,
            remaining=0.0,
            times=stage_times(duration),
        )
        for index, duration in enumerate(durations)
    )
    return FleetPipeline(stages, (0,) + (1,) * last, (0,), (), ())


def load(
    name: str, arrivals: Arrivals | float, *durations: Distribution, priority: int = 0, interruptible: bool = False
) -> Load:
    """Return a load with a queue of the same name; *arrivals* as a number are a rate per hour."""
    if not isinstance(arrivals, float):
        return Load(
            name=name,
            queue=name,
            priority=priority,
            workflow=chain(*durations, interruptible=interruptible),
            arrivals=arrivals,
            waiting_time=inf,
            may_preempt=True,
        )
    return load(name, Rates((arrivals,) * WEEK_HOURS), *durations, priority=priority, interruptible=interruptible)


def fleet(
    loads: Sequence[Load],
    count: int,
    days: float,
    *tiers: tuple[str, ...],
    slots: int = 1,
    warm_up: float = 0.0,
    actions: tuple[str, ...] = ACTIONS,
    queue: str = "",
) -> Fleet:
    """Return a fleet of *count* machines; all loads are in one *queue* if it is given."""
    if queue:
        loads = [replace(fleet_load, queue=queue) for fleet_load in loads]
    names = dict.fromkeys(fleet_load.queue for fleet_load in loads)
    return Fleet(
        groups=(MachineGroup(machine=RunMachine(name="m", slots=slots), minimum=count, maximum=count),),
        queues=tuple(FleetQueue(name=name) for name in names),
        loads=tuple(loads),
        scheduling=Scheduling(actions, tiers or (("priority", "gang"), ("fair-share", "binpack"))),
        duration=days * DAY,
        warm_up=warm_up,
        seed=1,
        span=Span(SourceFile(path="fleet.yaml", text=""), 0, 0),
    )
