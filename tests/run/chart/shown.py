"""Small simulated runs to render in tests."""

from __future__ import annotations

from run.simulated_runs_in_tests import NOWHERE, Slots, graph_plan

from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.model import Delay, Deployment
from pipegen.run.model import RunMachine, TaskId
from pipegen.run.simulation import Simulation, simulate
from pipegen.run.tasks import pipeline_run

TIMES = {"lint": 60.0, "unit": 300.0, "docs": 90.0, "release": 30.0, "mail": 0.5}


def service(slots: int = 2, name: str = "service") -> Simulation:
    """Return three parallel stages, one of them after a delay, followed by two more."""
    plan = graph_plan(
        ExecutionGraph([["lint", "release"], ["unit", "release"], ["docs", "release"]]),
        name=name,
        final=["mail"],
        deployments={"docs": Deployment(delay=Delay(30, NOWHERE))},
    )
    times = {TaskId(name, stage): time for stage, time in TIMES.items()}
    return simulate(
        [pipeline_run(plan, TIMES)], times, [RunMachine(name="executor", slots=slots)], Slots(slots, "executor")
    )


def wide(stages: int, slots: int) -> Simulation:
    """Return many parallel stages."""
    plan = graph_plan(ExecutionGraph([[f"s{number}"] for number in range(stages)]))
    times = {job.stage: float(1 + index % 7) for index, job in enumerate(plan.jobs)}
    machines = [RunMachine(name="executor", slots=slots)]
    durations = {TaskId("p", stage): time for stage, time in times.items()}
    return simulate([pipeline_run(plan, times)], durations, machines, Slots(slots, "executor"))
