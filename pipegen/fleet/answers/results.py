"""The answers of a simulation: waits, results, use, cost and shares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf

from pipegen.fleet.arrivals import HOUR
from pipegen.fleet.measures import LoadMeasures, MachineUse, Measures, Summary, last_hour, summary
from pipegen.fleet.model import Fleet, Load, MachineGroup
from pipegen.run.scheduling.amounts import SLOTS
from pipegen.run.scheduling.nodes import node
from pipegen.structs import Struct


class LoadResult(Struct, kw_only=True):
    """The result of a load: *waits* of its stages, times to *results* of its pipelines; some may never end."""

    load: Load
    waits: Summary
    results: Summary
    unfinished: int
    failures: int
    preempted: int
    lost: float


class QueueResult(Struct, kw_only=True):
    """The waits in a queue at one priority, and the dominant share of the queue: the mean, and by hour."""

    queue: str
    priority: int
    waits: Summary
    share: float
    shares: tuple[float, ...]


class GroupResult(Struct, kw_only=True):
    """The use of a group of machines: the used part of its slots, machines and cost, in all and by hour."""

    group: MachineGroup
    used: float
    machines: float
    cost: float
    used_by_hour: tuple[float, ...]
    machines_by_hour: tuple[float, ...]
    cost_by_hour: tuple[float, ...]


class FleetResult(Struct, kw_only=True):
    """All answers, and the *waits_by_hour* of each load: those of stages that were ready in that hour."""

    fleet: Fleet
    loads: tuple[LoadResult, ...]
    queues: tuple[QueueResult, ...]
    groups: tuple[GroupResult, ...]
    waits_by_hour: Mapping[str, tuple[Summary, ...]]
    end: float
    starts: int

    @property
    def cost(self) -> float:
        """The cost of all groups."""
        return sum(group.cost for group in self.groups)


def results(fleet: Fleet, measures: Measures) -> FleetResult:
    """Return the answers of *measures* of *fleet*."""
    hours = last_hour(measures.end) + 1
    # The last hour is only as long as the simulation.
    lengths = [HOUR] * (hours - 1) + [measures.end - HOUR * (hours - 1)]
    return FleetResult(
        fleet=fleet,
        loads=tuple(_load(load, measures.loads[load.name]) for load in fleet.loads),
        queues=_queues(fleet, measures, lengths),
        groups=tuple(_group(group, measures, lengths) for group in fleet.groups),
        waits_by_hour={load.name: _by_hour(measures.loads[load.name], hours) for load in fleet.loads},
        end=measures.end,
        starts=measures.starts,
    )


def _load(load: Load, measured: LoadMeasures) -> LoadResult:
    return LoadResult(
        load=load,
        waits=summary(measured.waits),
        results=summary(measured.results),
        unfinished=measured.unfinished,
        failures=measured.failures,
        preempted=measured.preempted,
        lost=measured.lost,
    )


def _queues(fleet: Fleet, measures: Measures, lengths: Sequence[float]) -> tuple[QueueResult, ...]:
    """Return the results by queue and priority, the highest priority first; *lengths* are the seconds of each hour."""
    queues = []
    for queue in fleet.queues:
        shares = _shares([use for use in measures.uses if use.queue == queue.name], fleet, lengths)
        loads = [load for load in fleet.loads if load.queue == queue.name]
        queues += [
            QueueResult(
                queue=queue.name,
                priority=priority,
                waits=summary(
                    wait for load in loads if load.priority == priority for wait in measures.loads[load.name].waits
                ),
                share=_mean(shares, lengths),
                shares=shares,
            )
            for priority in sorted({load.priority for load in loads}, reverse=True)
        ]
    return tuple(queues)


def _mean(values: Sequence[float], lengths: Sequence[float]) -> float:
    """Return the mean of *values*, each of which holds for one of the *lengths*."""
    whole = sum(lengths)
    return sum(value * length for value, length in zip(values, lengths, strict=True)) / whole if whole else 0.0


def _shares(uses: Sequence[MachineUse], fleet: Fleet, lengths: Sequence[float]) -> tuple[float, ...]:
    """Return the dominant share of *uses* by hour, in all machines that can run."""
    totals: dict[str, float] = {}
    for group in fleet.groups:
        for name, amount in node(group.machine, 0).limits.items():
            totals[name] = totals.get(name, 0.0) + amount * group.maximum
    used: dict[str, list[float]] = {name: [0.0] * len(lengths) for name, total in totals.items() if 0 < total < inf}
    for use in uses:
        for name, amount in use.requests.items():
            for hour, seconds in enumerate(use.hours if name in used else ()):
                used[name][hour] += seconds * amount
    return tuple(
        max((used[name][hour] / (totals[name] * length) for name in used), default=0.0) if length else 0.0
        for hour, length in enumerate(lengths)
    )


def _group(group: MachineGroup, measures: Measures, lengths: Sequence[float]) -> GroupResult:
    name, slots, hours = group.machine.name, group.machine.slots or 1, len(lengths)
    busy = [0.0] * hours
    for use in measures.uses:
        for hour, seconds in enumerate(use.hours if use.group == name else ()):
            busy[hour] += seconds * use.requests.get(SLOTS, 0.0)
    running = [*measures.running[name].hours, *[0.0] * hours][:hours]
    total = sum(running)
    return GroupResult(
        group=group,
        used=sum(busy) / (total * slots) if total else 0.0,
        machines=total / measures.end if measures.end else 0.0,
        cost=total / HOUR * group.price,
        used_by_hour=tuple(
            seconds / (machines * slots) if machines else 0.0 for seconds, machines in zip(busy, running, strict=True)
        ),
        machines_by_hour=tuple(
            seconds / length if length else 0.0 for seconds, length in zip(running, lengths, strict=True)
        ),
        cost_by_hour=tuple(seconds / HOUR * group.price for seconds in running),
    )


def _by_hour(measured: LoadMeasures, hours: int) -> tuple[Summary, ...]:
    waits: list[list[float]] = [[] for _ in range(hours)]
    for ready, wait in zip(measured.ready, measured.waits, strict=True):
        # A stage that is ready when the last hour ends counts in it.
        waits[min(int(ready // HOUR), hours - 1)].append(wait)
    return tuple(summary(hour) for hour in waits)
