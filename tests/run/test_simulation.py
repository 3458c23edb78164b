"""Simulated runs: their duration, and lower bounds of it."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from run.graphs import graphs
from run.simulated_runs_in_tests import NOWHERE, Slots, graph_plan

from pipegen.bindings.expression import Text
from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.model import NEVER, Delay, Deployment, Environment, Plan
from pipegen.run.bounds import TaskPath, longest_path
from pipegen.run.events import Cause
from pipegen.run.model import RunMachine, TaskId
from pipegen.run.simulation import Simulation, simulate
from pipegen.run.sweep import Sweep
from pipegen.run.tasks import longest_behind, pipeline_run
from pipegen.structs import replace

GRAPH = ExecutionGraph([["lint", "release"], ["unit", "package", "release"]])
TIMES = {"lint": 9.0, "unit": 4.0, "package": 2.0, "release": 1.0}


def by_id(times: Mapping[str, float], plan: Plan) -> dict[TaskId, float]:
    """Return *times* by task."""
    return {TaskId(plan.name, job.stage): times.get(job.stage, 1.0) for job in plan.jobs}


def on(slots: int, plan: Plan, times: Mapping[str, float]) -> Simulation:
    """Return the simulation of *plan* with *slots* parallel stages."""
    machine = RunMachine(name="m", slots=slots)
    return simulate([pipeline_run(plan, times)], by_id(times, plan), [machine], Slots(slots))


def test_a_simulation_has_makespan_bounds_and_utilisation() -> None:
    """The longest path determines the makespan here."""
    simulation = on(2, graph_plan(GRAPH), TIMES)

    assert (simulation.makespan, simulation.work, simulation.slots) == (10.0, 16.0, 2)
    assert (simulation.shared_work, simulation.path.seconds, simulation.lower_bound) == (8.0, 10.0, 10.0)
    assert simulation.utilisation == pytest.approx(0.8)
    assert simulation.path.tasks == (TaskId("p", "lint"), TaskId("p", "release"))
    assert simulation.waiting() == {}
    assert simulation.title == "p on 2 executors"


def test_waits_are_grouped_by_cause_and_sorted_by_length() -> None:
    """Equal waits stay in the order in which the stages started."""
    simulation = on(1, graph_plan(ExecutionGraph([["a"], ["b"], ["c"]])), {"a": 3.0})

    assert simulation.waiting() == {(Cause.SLOT, ""): [(TaskId("p", "c"), 4.0), (TaskId("p", "b"), 3.0)]}


def test_finally_stages_end_the_longest_path() -> None:
    """The longest of them, since they run in parallel."""
    plan = graph_plan(GRAPH, final=["mail", "clean"])
    path = longest_path(pipeline_run(plan, TIMES), by_id({**TIMES, "clean": 5.0}, plan))

    assert path == TaskPath(tuple(TaskId("p", stage) for stage in ("lint", "release", "clean")), 15.0)


def test_finally_stages_after_a_failure_do_not_end_the_longest_path() -> None:
    """The stages of a simulated run succeed."""
    plan = graph_plan(GRAPH, final=["mail", "alert"])
    jobs = tuple(replace(job, on_status="failed") if job.stage == "alert" else job for job in plan.jobs)
    run = pipeline_run(replace(plan, jobs=jobs), TIMES)

    assert longest_path(run, by_id({**TIMES, "alert": 5.0}, plan)).tasks[-1] == TaskId("p", "mail")


def test_delays_count_for_the_longest_path() -> None:
    """They also delay later stages."""
    plan = graph_plan(GRAPH, deployments={"package": Deployment(delay=Delay(60, NOWHERE))})
    run = pipeline_run(plan, TIMES)

    assert longest_path(run, by_id(TIMES, plan)).seconds == 67.0
    assert {task.id.stage: task.remaining for task in run.tasks} == {
        "lint": 10.0,
        "release": 1.0,
        "unit": 67.0,
        "package": 3.0,
    }


def test_an_empty_graph_has_no_path() -> None:
    """It takes no time either."""
    simulation = on(1, graph_plan(ExecutionGraph()), {})

    assert (simulation.makespan, simulation.path, simulation.utilisation) == (0.0, TaskPath(), None)


@settings(deadline=None)
@given(graph=graphs(), slots=st.integers(1, 4), data=st.data())
def test_no_makespan_is_below_the_lower_bound(graph: ExecutionGraph, slots: int, data: st.DataObject) -> None:
    """The makespan is at most path plus work (Graham)."""
    times = {stage: float(data.draw(st.integers(0, 9))) for stage in graph.nodes}
    simulation = on(slots, graph_plan(graph), times)

    assert simulation.lower_bound <= simulation.makespan
    assert simulation.makespan <= simulation.path.seconds * (slots - 1) / slots + simulation.work / slots + 1e-9


@settings(deadline=None)
@given(graph=graphs(), data=st.data())
def test_with_unlimited_slots_the_makespan_is_the_longest_path(graph: ExecutionGraph, data: st.DataObject) -> None:
    """Each stage starts as soon as its predecessors end."""
    times = {stage: float(data.draw(st.integers(0, 9))) for stage in graph.nodes}
    simulation = on(len(graph.nodes), graph_plan(graph), times)

    assert simulation.makespan == simulation.path.seconds
    assert max(longest_behind(graph, times, {}).values()) == simulation.makespan
    assert all(bar.waits == () for bar in simulation.bars)


def test_a_sweep_finds_how_many_executors_are_enough() -> None:
    """The fewest for the shortest time, and the fewest close to it."""
    plan = graph_plan(ExecutionGraph([["a"], ["b"], ["c"], ["d"]]))
    times = {"a": 100.0, "b": 2.0, "c": 2.0, "d": 2.0}
    sweep = Sweep.over(range(1, 6), lambda count: on(count, plan, times))

    assert [simulation.makespan for _, simulation in sweep.simulations] == [106.0, 100.0, 100.0, 100.0, 100.0]
    assert (sweep.enough, sweep.nearly_enough, sweep.best) == (2, 2, 100.0)
    assert Sweep(sweep.simulations[:1]).enough == 1


def test_a_stop_stage_is_simulated_only_if_selected() -> None:
    """By default, a person starts it."""
    plan = graph_plan(
        ExecutionGraph([["deploy", "stop"], ["deploy", "test"]]),
        deployments={"stop": Deployment(environment=Environment(name=Text((), NOWHERE), stops=True, span=NOWHERE))},
    )

    assert [task.id.stage for task in pipeline_run(plan).tasks] == ["deploy", "test"]
    assert pipeline_run(plan).graph == ExecutionGraph([["deploy", "test"]])
    assert [task.id.stage for task in pipeline_run(plan, graph=plan.graph).tasks] == ["deploy", "stop", "test"]


def test_a_stage_that_can_never_run_takes_no_time() -> None:
    """Its successors wait for its predecessors."""
    plan = graph_plan(GRAPH, deployments={"package": Deployment(delay=Delay(60, NOWHERE))})
    jobs = tuple(replace(job, condition=NEVER) if job.stage == "package" else job for job in plan.jobs)
    simulation = on(2, replace(plan, jobs=jobs), {**TIMES, "package": 100.0})

    assert [bar.task.id.stage for bar in simulation.bars] == ["lint", "unit", "release"]
    assert (simulation.makespan, simulation.work, simulation.path.seconds) == (10.0, 14.0, 10.0)
