"""A local run and a simulated run take the same decisions for the same durations."""

from __future__ import annotations

import selectors
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from run.graphs import graphs
from run.simulated_runs_in_tests import NOWHERE, EventLog, ObservedRun, graph_plan

from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.model import Deployment, Lock, Plan
from pipegen.run import simulation
from pipegen.run.clocks import real
from pipegen.run.engine import Engine
from pipegen.run.events import RunEvent, Started
from pipegen.run.executors.simulated import SimulatedExecutor
from pipegen.run.journal import Journal, read
from pipegen.run.local.execution import pipeline_runs
from pipegen.run.local.selection import SelectedPipeline
from pipegen.run.model import RunMachine, TaskId
from pipegen.run.scheduling.scheduler import scheduler
from pipegen.run.tasks import pipeline_run
from pipegen.run.timeline import Timeline

# The time that passes between two readings of the clock.
_MOMENT = 1e-7
# Stages take so long that the time of readings makes no difference.
_DAYS = 2.0**20


class Hours:
    """The time of a computer that only waits: it advances during waits, and a little at each reading."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        """Return the current time."""
        self.now += _MOMENT
        return self.now


@contextmanager
def machine() -> Iterator[real.RealClock]:
    """Return the clock of a local run on a machine whose time passes immediately."""
    hours = Hours()

    class Impatient(selectors.DefaultSelector):
        """A selector that never waits."""

        def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
            select = super().select(0)
            if not select and timeout:
                hours.now += timeout
            return select

    with (
        patch.object(real, "time", hours),
        patch.object(selectors, "DefaultSelector", Impatient),
        closing(real.RealClock()) as clock,
    ):
        yield clock


def recorded(plans: Sequence[Plan], times: Mapping[TaskId, float]) -> Mapping[TaskId, float]:
    """Return the durations that the journal of a run has when its stages take *times*."""
    values: dict[TaskId, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        for plan in plans:
            own = {job.stage: times[TaskId(plan.name, job.stage)] for job in plan.jobs}
            observed = ObservedRun(graph_plan(plan.graph, name=plan.name, final=["end"]), durations=own)
            with Journal(Path(folder, plan.name), "plan") as journal:
                observed.listeners.append(journal)
                observed.run()
            values |= read(Path(folder, plan.name)).durations
    return values


def local_order(plans: Sequence[Plan], times: Mapping[TaskId, float], slots: int) -> list[TaskId]:
    """Return the stages in the order in which a local run starts them, each with its duration."""
    chosen = [SelectedPipeline(plan, plan.graph, plan.jobs) for plan in plans]
    here = RunMachine(name="here", slots=slots)
    runs = pipeline_runs(chosen, lambda name, stage: times[TaskId(name, stage)], here, None)
    log = EventLog()
    with machine() as clock:
        Engine(
            runs,
            clock=clock,
            executor=SimulatedExecutor(clock, lambda attempt: times[attempt.task.id]),
            scheduler=scheduler([here]),
            listeners=[log],
        ).run()
    return [event.attempt.task.id for event in log.events if isinstance(event, Started)]


def simulated_order(plans: Sequence[Plan], times: Mapping[TaskId, float], slots: int) -> list[TaskId]:
    """Return the stages in the order in which `simulate` starts them."""
    runs, first = [], 0
    for plan in plans:
        own = {job.stage: times[TaskId(plan.name, job.stage)] for job in plan.jobs}
        runs.append(pipeline_run(plan, own, first=first))
        first += len(plan.jobs)
    executors = [RunMachine(name="executor", slots=slots)]
    started: list[TaskId] = []

    class Listening(Timeline):
        """Records the order of simultaneous starts."""

        def notify(self, event: RunEvent) -> None:
            if isinstance(event, Started):
                started.append(event.attempt.task.id)
            super().notify(event)

    with patch.object(simulation, "Timeline", Listening):
        simulation.simulate(runs, times, executors, scheduler(executors))
    return started


@st.composite
def plans(draw: st.DrawFn, name: str) -> Plan:
    """Return a plan of a few stages, some of which take a lock."""
    graph: ExecutionGraph = draw(graphs(most=10))
    locks = st.sampled_from(
        [
            Deployment(),
            Deployment(),
            Deployment(locks=(Lock("one", NOWHERE),)),
            Deployment(locks=(Lock("two", NOWHERE),)),
        ]
    )
    return graph_plan(graph, name=name, final=["end"], deployments={stage: draw(locks) for stage in graph.nodes})


@pytest.mark.slow
@settings(deadline=None, max_examples=150)
@given(st.data())
def test_a_local_run_takes_the_decisions_of_a_simulated_run(data: st.DataObject) -> None:
    """All stages start in the same order, given durations from a journal.

    No two stages end at the same time, since their order would be undefined.
    """
    samples = [data.draw(plans("one")), data.draw(plans("other"))]
    tasks = [TaskId(plan.name, job.stage) for plan in samples for job in plan.jobs]
    values = {task: _DAYS * (data.draw(st.integers(1, 9)) + 2.0 ** -(place + 1)) for place, task in enumerate(tasks)}
    times = recorded(samples, values)
    slots = data.draw(st.integers(1, 4))

    assert times == values
    assert local_order(samples, times, slots) == simulated_order(samples, times, slots)
