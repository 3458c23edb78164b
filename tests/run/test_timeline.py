"""The timeline of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from run.simulated_runs_in_tests import FAILED, NOWHERE, SUCCESS, ObservedRun, graph_plan

from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.model import Delay, Deployment, Failure, Limits, Plan, Retry
from pipegen.run.events import Cause, Ended, Ready, RunEvent, Started, Waiting
from pipegen.run.model import Attempt, Demand, Outcome, Task, TaskId
from pipegen.run.timeline import Bar, TaskWait, Timeline


def timeline_of(*events: RunEvent) -> tuple[Bar, ...]:
    """Return the bars of a timeline of *events*."""
    timeline = Timeline()
    for event in events:
        timeline.notify(event)
    return timeline.bars()


def bars(
    plan: Plan,
    slots: int,
    durations: Mapping[str, float] | None = None,
    outcomes: Mapping[str, Sequence[Outcome]] | None = None,
) -> tuple[Bar, ...]:
    """Return the attempts of a simulated run of *plan*."""
    observed = ObservedRun(plan, slots=slots, durations=durations, outcomes=outcomes)
    observed.run()
    return timeline_of(*observed.log.events)


def spans(bars: tuple[Bar, ...]) -> list[tuple[str, int, tuple[int, ...], float, float]]:
    """Return the stage, attempt, slots, start and end of each bar."""
    return [(bar.task.id.stage, bar.attempt.number, bar.slots, bar.start, bar.end) for bar in bars]


def test_the_lowest_free_slot_is_assigned() -> None:
    """A slot that becomes free is reused before a new one."""
    plan = graph_plan(ExecutionGraph([["a", "d"], ["b"], ["c"]]))

    assert spans(bars(plan, 3, durations={"a": 1.0, "b": 5.0, "c": 2.0})) == [
        ("a", 1, (0,), 0.0, 1.0),
        ("b", 1, (1,), 0.0, 5.0),
        ("c", 1, (2,), 0.0, 2.0),
        ("d", 1, (0,), 1.0, 2.0),
    ]


def test_waits_of_a_task_belong_to_its_attempt() -> None:
    """A delay, then a slot; waits of zero length are omitted."""
    plan = graph_plan(ExecutionGraph([["a"], ["b"]]), deployments={"b": Deployment(delay=Delay(2, NOWHERE))})
    first, second = bars(plan, 1, durations={"a": 5.0})

    assert first.waits == ()
    assert second.waits == (TaskWait(Cause.DELAY, "", 0.0, 2.0), TaskWait(Cause.SLOT, "", 2.0, 5.0))
    assert [wait.seconds for wait in second.waits] == [2.0, 3.0]


def test_each_attempt_has_its_own_bar() -> None:
    """The bar has the outcome of the attempt."""
    plan = graph_plan(ExecutionGraph([["a"]]), limits={"a": Limits(retry=Retry(1, (Failure.SCRIPT,), NOWHERE))})
    result = bars(plan, 1, outcomes={"a": [FAILED, SUCCESS]})

    assert spans(result) == [("a", 1, (0,), 0.0, 1.0), ("a", 2, (0,), 2.0, 3.0)]
    assert [bar.outcome for bar in result] == [FAILED, SUCCESS]


def test_an_attempt_can_use_several_slots() -> None:
    """No other attempt uses them while it runs."""
    plan = graph_plan(ExecutionGraph([["a"], ["b"]]))
    big, small = (
        Task(id=TaskId("p", job.stage), job=job, plan=plan, demand=Demand(slots=slots), order=index)
        for index, (job, slots) in enumerate(zip(plan.jobs, (2, 1), strict=True))
    )
    first, second = Attempt(big, 1, "m"), Attempt(small, 1, "m")

    result = timeline_of(
        Started(0.0, first), Started(0.0, second), Ended(1.0, first, SUCCESS, True), Ended(2.0, second, SUCCESS, True)
    )
    assert spans(result) == [("a", 1, (0, 1), 0.0, 1.0), ("b", 1, (2,), 0.0, 2.0)]


def test_an_attempt_reported_again_as_final_has_one_bar() -> None:
    """The run was stopped before the next attempt."""
    plan = graph_plan(ExecutionGraph([["a"]]))
    task = Task(id=TaskId("p", "a"), job=plan.jobs[0], plan=plan, demand=Demand())
    attempt = Attempt(task, 1, "m")

    result = timeline_of(
        *(Ready(0.0, task.id), Waiting(0.0, task.id, Cause.LOCK, "x"), Started(1.0, attempt)),
        *(Ended(2.0, attempt, FAILED, False), Ended(3.0, attempt, FAILED, True)),
    )
    assert spans(result) == [("a", 1, (0,), 1.0, 2.0)]
    assert result[0].waits == (TaskWait(Cause.LOCK, "x", 0.0, 1.0),)
