"""Skipped, final and failed tasks behave as in Tekton, apart from the differences listed here."""

import math
from collections.abc import Mapping
from typing import Any

import pytest
from run.rules import (
    RunMoment,
    final_ready,
    is_over,
    moment_in,
    ready,
    result,
    skipped,
    status,
    status_of_all,
)
from run.simulated_runs_in_tests import FAILED, NOWHERE, SUCCESS, ObservedRun, graph_plan

from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.model import AllowFailure, Delay, Deployment, Limits
from pipegen.run.events import Ready, Skipped, Started
from pipegen.run.model import TaskId
from pipegen.run.status import Reason, Status

CASES = "tekton_run.json"

Case = dict[str, Any]

# A scheduled task counts as started; a cancelled one has failed.
STATES = {
    "scheduled": Status.UNKNOWN,
    "running": Status.UNKNOWN,
    "succeeded": Status.SUCCESS,
    "failed": Status.FAILED,
    "cancelled": Status.FAILED,
}


def moment(case: Case) -> RunMoment:
    """Return *case* as a moment of a run."""
    tasks, final = case.get("tasks") or generated(case["generator"]), case.get("finally", [])
    arcs: list[list[str]] = []
    for task in tasks:
        arcs += [[task["name"]], *([earlier, task["name"]] for earlier in task.get("run_after", ()))]
    names = [*tasks, *final]
    return RunMoment(
        graph=ExecutionGraph(arcs),
        final=tuple(task["name"] for task in final),
        states={task["name"]: STATES[task["state"]] for task in names if task["state"] != "none"},
        unwanted={task["name"] for task in names if task.get("when") is False},
        allowed={task["name"] for task in names if task.get("on_error") == "continue"},
        is_stopped=case.get("run_status", "running").startswith("gracefully"),
    )


def generated(generator: Case) -> list[Case]:
    """Return the tasks of a generated case: each one waits for all earlier ones, or for the last one of ten."""
    waits_for_all = "every" in generator["rule"]
    return [
        {
            "name": f"t{index}",
            "state": "none",
            "run_after": [f"t{earlier}" for earlier in (range(1, index) if waits_for_all else _last_of_ten(index))],
        }
        for index in range(1, generator["tasks"] + 1)
    ]


def _last_of_ten(index: int) -> list[int]:
    return [] if index == 1 else [max(1, (index - 1) // 10 * 10)]


def going_on(now: RunMoment) -> set[str]:
    """Return the tasks that may still start after a failure: our independent branches continue, unlike Tekton's."""
    failed = {name for name, state in now.states.items() if state is Status.FAILED and name not in now.allowed}
    return set(now.graph.nodes) - now.states.keys() - skipped(now).keys() if failed else set()


def is_timed_out(case: Case) -> bool:
    """Return whether a time limit of a whole run, which a config does not have, has passed in *case*."""
    limits = [case.get(f"{part}_timeout_s", math.inf) for part in ("pipeline", "tasks")]
    is_past = case.get("elapsed_s", 0) > min(limits)
    return is_past or bool(case.get("finally_elapsed_s", 0) > case.get("finally_timeout_s", math.inf))


def incomparable(case: Case, now: RunMoment) -> set[str]:
    """Return the tasks of *case* that depend on what a config does not have.

    They wait for a value that is missing at run time (our readers all have a default) or for an empty list of
    combinations (which is refused), or for such a task, or go on after a failure.
    """
    tasks = [*case.get("tasks", ()), *case.get("finally", ())]
    reads = {task["name"]: (*task.get("reads_results", ()), *task.get("when_reads", ())) for task in tasks}
    names = {
        task["name"]
        for task in tasks
        if not all(read["exists"] for read in reads[task["name"]]) or not all(task.get("matrix_arrays", ()))
    }
    after = {name for name in now.graph.nodes if names.intersection(now.graph.ancestors(name))}
    return names | after | going_on(now)


def compared(answers: Mapping[str, bool], case: Case, now: RunMoment) -> dict[str, bool]:
    """Return the *answers* of *case* for tasks that are not incomparable."""
    return {name: value for name, value in answers.items() if name not in incomparable(case, now)}


def check_skip(case: Case) -> None:
    """Check which tasks are skipped."""
    now = moment(case)
    expected = compared(case["expect"]["skipped"], case, now)
    assert {name: name in skipped(now) for name in expected} == expected


def check_skip_parent(case: Case) -> None:
    """Check which tasks are skipped because of their predecessors."""
    never = skipped(moment(case))
    expected = case["expect"]["skipped_because_parent_skipped"]
    assert {name: never.get(name) is Reason.BEFORE for name in expected} == expected


def check_queue(case: Case) -> None:
    """Check which tasks start next: none of a run that was cancelled."""
    now = moment(case)
    names = () if case.get("run_status") == "cancelled" else ready(now)
    assert [name for name in names if name not in going_on(now)] == case["expect"]["queue"]


def check_done(case: Case) -> None:
    """Check which tasks are done or never start."""
    now = moment(case)
    ended = {name for name, state in now.states.items() if state is not Status.UNKNOWN}
    assert {*ended, *skipped(now)} == set(case["expect"]["done_or_skipped"]) - going_on(now)


def check_final_ready(case: Case) -> None:
    """Check which final tasks start."""
    assert list(final_ready(moment(case))) == case["expect"]["ready"]


def check_final_skipped(case: Case) -> None:
    """Check which final tasks are skipped."""
    now = moment(case)
    expected = compared(case["expect"]["skipped"], case, now)
    assert {name: name not in final_ready(now) for name in expected} == expected


def check_status(case: Case) -> None:
    """Check the status of each task and of the run; we have no separate status for skipped tasks."""
    now = moment(case)
    known = {"Succeeded": {Status.SUCCESS}, "Failed": {Status.FAILED}, "None": {Status.SKIPPED, Status.UNKNOWN}}
    for name, expected in case["expect"]["task_status"].items():
        assert status(name, now) in known[expected]
    if going_on(now):
        assert status_of_all(now) is Status.UNKNOWN
        return
    expected = {
        "None": Status.UNKNOWN,
        "Failed": Status.FAILED,
        "Succeeded": Status.SUCCESS,
        "Completed": Status.SUCCESS,
    }
    assert status_of_all(now) is expected[case["expect"]["aggregate"]]


def check_condition(case: Case) -> None:
    """Check the result of the run."""
    now = moment(case)
    if going_on(now):
        assert result(now) is Status.UNKNOWN
    elif starting := incomparable(case, now).intersection(now.final):
        # They read a missing value; with a default, they start.
        assert set(final_ready(now)) == starting
    elif case["expect"].get("reason") == "Cancelled":
        assert is_over(now)
    else:
        expected = {"False": Status.FAILED, "True": Status.SUCCESS, "Unknown": Status.UNKNOWN}
        assert result(now) is expected[case["expect"].get("status")]


CHECKS = {
    "skip": check_skip,
    "skip-parent": check_skip_parent,
    "queue": check_queue,
    "done_or_skipped": check_done,
    "finally_ready": check_final_ready,
    "finally_skipped": check_final_skipped,
    "status": check_status,
    "condition": check_condition,
}


def test_case_has_the_results_of_tekton(case: Case) -> None:
    """Cases with features that no config has must fail their check; otherwise they would be checked, too."""
    if not is_timed_out(case):
        CHECKS[case["kind"]](case)
        return
    with pytest.raises((AssertionError, KeyError, ValueError)):
        CHECKS[case["kind"]](case)


def test_the_engine_agrees_with_the_rules(case: Case) -> None:
    """Finished tasks are given as results, running tasks take long, and all other tasks have a delay."""
    run_moment = moment(case)
    ends = {stage for stage, state in run_moment.states.items() if state is not Status.UNKNOWN}
    runs = run_moment.states.keys() - ends
    allowed = {stage: Limits(allow_failure=AllowFailure((), NOWHERE)) for stage in run_moment.allowed}
    stages = (*run_moment.graph.nodes, *run_moment.final)
    simulated_run = ObservedRun(
        graph_plan(
            run_moment.graph,
            name="run",
            final=run_moment.final,
            limits=allowed,
            deployments={stage: Deployment(delay=Delay(10, NOWHERE)) for stage in stages if stage not in runs},
        ),
        slots=len(stages),
        durations=dict.fromkeys(stages, 100.0),
        unwanted=run_moment.unwanted,
        ended={
            TaskId("run", stage): SUCCESS if run_moment.states[stage] is Status.SUCCESS else FAILED for stage in ends
        },
    )
    if run_moment.is_stopped:
        simulated_run.clock.at(5.0, simulated_run.engine.stop)
    moments: list[tuple[set[str], RunMoment]] = []
    simulated_run.clock.at(
        6.0, lambda: moments.append((waiting(simulated_run), moment_in(simulated_run.engine, "run")))
    )
    simulated_run.run()
    # A run that has ended by then is compared in its final state.
    ready_then, now = (*moments, (waiting(simulated_run), moment_in(simulated_run.engine, "run")))[0]

    assert (now.states, skipped(now)) == (run_moment.states, skipped(run_moment))
    assert ready_then == {*ready(run_moment), *final_ready(run_moment)}


def waiting(simulated_run: ObservedRun) -> set[str]:
    """Return the stages that were reported as ready and have not started."""
    events = simulated_run.log.events
    over = {event.task.stage for event in events if isinstance(event, Skipped)}
    over |= {event.attempt.task.id.stage for event in events if isinstance(event, Started)}
    return {event.task.stage for event in events if isinstance(event, Ready)} - over
