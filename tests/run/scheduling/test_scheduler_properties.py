"""Properties of the scheduler for any requests in any order: no resource is taken twice, and no task is forgotten."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from run.simulation import Simulation, task

from pipegen.run.model import Demand, RunMachine, Task, TaskId
from pipegen.run.scheduling.amounts import CPU, MEMORY, SLOTS
from pipegen.run.scheduling.nodes import node
from pipegen.run.scheduling.queue.queue import QueueSettings
from pipegen.run.scheduling.scheduler import ORDERS, SessionScheduler, scheduler, tiers
from pipegen.run.scheduling.session import Session
from pipegen.structs import replace

pytestmark = pytest.mark.slow

LABELS = ("arm", "gpu")
LOCKS = ("database", "staging")
DELAYS = (0, 1, 2, 4, 8, 10, 10, 10)

NOTHING = Demand(slots=0)

some = st.integers(0, 3)
labels = st.sets(st.sampled_from(LABELS)).map(lambda names: tuple(sorted(names)))
machines = st.lists(
    st.builds(
        RunMachine,
        name=st.just(""),
        slots=st.integers(1, 4),
        cpu=st.none() | some,
        memory=st.none() | some,
        labels=labels,
    ),
    min_size=1,
    max_size=4,
).map(lambda fleet: [replace(machine, name=f"m{number}") for number, machine in enumerate(fleet)])
demands = st.builds(
    Demand,
    slots=some,
    cpu=st.integers(0, 2),
    memory=st.integers(0, 2),
    labels=labels,
    locks=st.sets(st.sampled_from(LOCKS)).map(lambda names: tuple(sorted(names))),
)


class Model(RuleBasedStateMachine):
    """A scheduler, and an independent account of the resources in use."""

    # The number of placements after which resources are reserved for an overtaken task; inf means never.
    patience = inf

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.number = 0
        self.queued: dict[TaskId, Task] = {}
        self.not_before: dict[TaskId, float] = {}
        self.running: dict[TaskId, tuple[Task, RunMachine]] = {}
        self.reported_cause: set[TaskId] = set()
        self.is_settled = True

    @initialize(machines=machines, order=st.sampled_from(ORDERS))
    def start(self, machines: list[RunMachine], order: str) -> None:
        """Start with some machines."""
        self.machines = {machine.name: machine for machine in machines}
        nodes = [node(machine, index) for index, machine in enumerate(machines)]
        self.session = Session(nodes, tiers(order), settings=QueueSettings(), patience=self.patience)
        self.scheduler = SessionScheduler(self.session)

    @rule(pipeline=st.sampled_from("pq"), demand=demands, remaining=st.integers(0, 3), count=st.integers(1, 3))
    def add(self, pipeline: str, demand: Demand, remaining: int, count: int) -> None:
        """Add tasks that are ready."""
        for _ in range(count):
            self.number += 1
            added = task(f"s{self.number}", pipeline=pipeline, order=self.number, remaining=remaining, demand=demand)
            self.queued[added.id] = added
            self.scheduler.add(added, self.now)
        self.is_settled = False

    @rule()
    def cycle(self) -> None:
        """Run a cycle of the scheduler."""
        cycle = self.scheduler.cycle(self.now)
        for placement in cycle.placed:
            placed = self.queued.pop(placement.task.id)
            assert self.not_before.pop(placed.id, 0) <= self.now
            machine = self.machines[placement.machine]
            assert self.is_room(placed.demand, machine)
            self.running[placed.id] = (placed, machine)
            self.reported_cause.discard(placed.id)
        self.reported_cause |= {refusal.task.id for refusal in cycle.refused}
        assert self.reported_cause == self.queued.keys()
        self.is_settled = True

    @precondition(lambda self: self.running)
    @rule(data=st.data(), failures=st.integers(0, 5))
    def end(self, data: st.DataObject, failures: int) -> None:
        """End a task, which may have to be retried."""
        id_ = data.draw(st.sampled_from(sorted(self.running)))
        ended, _ = self.running.pop(id_)
        self.scheduler.release(id_, self.now)
        if failures:
            self.queued[id_] = ended
            self.not_before[id_] = self.now + DELAYS[failures]
            self.scheduler.retry(ended, failures, self.now)
        self.is_settled = False

    @precondition(lambda self: self.queued)
    @rule(data=st.data())
    def drop(self, data: st.DataObject) -> None:
        """Drop a queued task."""
        id_ = data.draw(st.sampled_from(sorted(self.queued)))
        self.scheduler.drop(id_)
        del self.queued[id_]
        self.not_before.pop(id_, None)
        self.reported_cause.discard(id_)
        self.is_settled = False

    @rule(seconds=st.sampled_from([1, 5, 400]))
    def wait(self, seconds: int) -> None:
        """Let time pass."""
        self.now += seconds
        self.is_settled = False

    @invariant()
    def nobody_is_forgotten(self) -> None:
        """A task that is queued after a cycle fits on no machine, or waits for a time, which the scheduler returns."""
        if not self.is_settled:
            return
        for id_, entry in self.queued.items():
            if self.not_before.get(id_, 0) <= self.now:
                assert not any(
                    self.is_room(entry.demand, machine, self.reserved(machine)) for machine in self.machines.values()
                )
        times = [time for id_, time in self.not_before.items() if id_ in self.queued and time > self.now]
        assert self.scheduler_time() == min(times, default=None)

    def teardown(self) -> None:
        """At the end, all tasks that fit on some machine have run."""
        self.now += 100
        while hasattr(self, "scheduler"):
            self.cycle()
            if not self.running:
                assert not any(
                    self.is_room(entry.demand, machine)
                    for entry in self.queued.values()
                    for machine in self.machines.values()
                )
                return
            for id_ in tuple(self.running):
                del self.running[id_]
                self.scheduler.release(id_, self.now)

    def scheduler_time(self) -> float | None:
        """Return the time of the scheduler's next cycle."""
        return self.scheduler.next_time() if hasattr(self, "scheduler") else None

    def reserved(self, machine: RunMachine) -> Demand:
        """Return the resources of *machine* that are reserved for an overtaken task."""
        promised = self.session.machines.nodes[machine.name].promised
        slots, cpu, memory = (int(promised.get(name, 0)) for name in (SLOTS, CPU, MEMORY))
        return Demand(slots=slots, cpu=cpu, memory=memory)

    def is_room(self, demand: Demand, machine: RunMachine, reserved: Demand = NOTHING) -> bool:
        """Return whether *machine* has what *demand* takes beside what runs and is kept, and its locks are free."""
        in_use = [
            reserved,
            *(running_task.demand for running_task, location in self.running.values() if location is machine),
        ]
        locks = {lock for running_task, _ in self.running.values() for lock in running_task.demand.locks}
        return (
            set(demand.labels) <= set(machine.labels)
            and not locks & set(demand.locks)
            and _is_within(demand.slots, [other_demand.slots for other_demand in in_use], machine.slots)
            and _is_within(demand.cpu, [other_demand.cpu for other_demand in in_use], machine.cpu)
            and _is_within(demand.memory, [other_demand.memory for other_demand in in_use], machine.memory)
        )


class PatientModel(Model):
    """The same model with reservations for overtaken tasks."""

    patience = 3


def _is_within(requested: int, taken: list[int], limit: int | None) -> bool:
    return not requested or limit is None or requested + sum(taken) <= limit


TestModel = Model.TestCase
TestModel.settings = settings(max_examples=80, stateful_step_count=40, deadline=None)
TestPatientModel = PatientModel.TestCase
TestPatientModel.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)


@settings(max_examples=60, deadline=None)
@given(
    slots=st.integers(4, 6),
    wide=st.integers(3, 6),
    lengths=st.lists(st.integers(1, 9), min_size=80, max_size=80),
)
def test_a_wide_stage_is_not_starved(slots: int, wide: int, lengths: list[int]) -> None:
    """It starts once this number of stages has overtaken it, although there is always a smaller one that fits."""
    wide = min(wide, slots)
    small = [task(f"s{number}", order=number, remaining=100 - number) for number in range(len(lengths))]
    big = task("wide", order=-1, remaining=150.0, demand=Demand(slots=wide))
    deployment = task("gate", order=-2, remaining=200.0)
    tasks = [deployment, big, *small]

    run = Simulation(
        scheduler([RunMachine(name="m", slots=slots)]),
        tasks,
        {big.id: [deployment.id]},
        lambda run_task: float(lengths[run_task.order]) if run_task.order >= 0 else 1.0,
    ).run()

    names = [placement.task.id.stage for _, placement in run.placed]
    before = sum(time <= run.ended[deployment.id] for time, _ in run.placed)
    assert len(names) == len(tasks)
    assert names.index("wide") < before + 2 * slots + slots


@settings(max_examples=40, deadline=None)
@given(machines=machines, requested=st.lists(demands, min_size=1, max_size=30), data=st.data())
def test_the_same_is_decided_the_same_way(
    machines: list[RunMachine], requested: list[Demand], data: st.DataObject
) -> None:
    """Two schedulers with the same requests place the same tasks in the same order."""
    order = data.draw(st.sampled_from(ORDERS))
    tasks = [task(f"s{number}", order=number, demand=demand) for number, demand in enumerate(requested)]

    first, second = (
        Simulation(scheduler(machines, order=order), tasks, {}, lambda run_task: float(run_task.order % 3 + 1)).run()
        for _ in range(2)
    )

    assert (first.placed, first.refused) == (second.placed, second.refused)
