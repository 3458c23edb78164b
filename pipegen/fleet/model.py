"""The model of a fleet: groups of machines, queues, and the load on them."""

from __future__ import annotations

from pipegen.fleet.arrivals import Arrivals
from pipegen.fleet.workflow import FleetPipeline
from pipegen.run.model import RunMachine
from pipegen.run.scheduling.amounts import Amounts
from pipegen.run.scheduling.plugins import Scheduling
from pipegen.source.text import Span
from pipegen.structs import Struct, field


class MachineGroup(Struct, kw_only=True):
    """Equal machines, whose number may follow the load.

    Attributes:
        machine: one of them; its name is that of the group.
        minimum: the number of machines that always run.
        maximum: the number that may run.
        start_up: seconds from the decision to start a machine until it takes stages.
        idle: seconds after which a machine above the minimum is stopped if it runs nothing.
        price: the price per hour of a machine, from the decision to start it until it stops.
    """

    machine: RunMachine
    minimum: int
    maximum: int
    start_up: float = 0.0
    idle: float = 0.0
    price: float = 0.0

    @property
    def is_scaled(self) -> bool:
        """Whether machines are started and stopped."""
        return self.maximum > self.minimum


class FleetQueue(Struct, kw_only=True):
    """A queue, with the terms of Volcano.

    *parent* is the name of the queue above it, or "". *is_reclaimable* is whether its stages stop for other queues.
    """

    name: str
    weight: int = 1
    priority: int = 0
    capability: Amounts | None = None
    guarantee: Amounts = field(default_factory=dict)
    deserved: Amounts = field(default_factory=dict)
    parent: str = ""
    is_reclaimable: bool = True


class Load(Struct, kw_only=True):
    """Pipelines that start again and again.

    Attributes:
        name: its name in results.
        queue: the name of its queue.
        priority: higher runs earlier.
        workflow: its stages.
        arrivals: when it starts.
        waiting_time: seconds that a stage may wait before the plugin `sla` reserves room for it.
        may_preempt: whether other stages may be stopped for its stages.
    """

    name: str
    queue: str
    priority: int
    workflow: FleetPipeline
    arrivals: Arrivals
    waiting_time: float
    may_preempt: bool


# The measures by hour take a few hundred megabytes at most: 8 bytes for the use of a group by a stage, and about 200
# for each load, queue and group.
_MOST_VALUES = 40_000_000
_VALUES_OF_SUBJECT = 25


class Fleet(Struct, kw_only=True):
    """Machines, queues and load for a simulation.

    Attributes:
        duration: seconds in which pipelines start; the simulation ends when the last of them has ended.
        warm_up: seconds at the beginning whose pipelines have no waits and results; use and cost count them.
        seed: the seed of all random numbers.
        span: the place of the duration in the file, or that of the load.
    """

    groups: tuple[MachineGroup, ...]
    queues: tuple[FleetQueue, ...]
    loads: tuple[Load, ...]
    scheduling: Scheduling
    duration: float
    warm_up: float
    seed: int
    span: Span

    @property
    def most_hours(self) -> int:
        """The hours after which a simulation would take too much memory."""
        stages = sum(len(load.workflow.stages) for load in self.loads)
        subjects = len(self.loads) + len(self.queues) + len(self.groups)
        return _MOST_VALUES // (stages * len(self.groups) + _VALUES_OF_SUBJECT * subjects)
