"""Skipped, final and failed tasks behave as in Tekton, apart from the differences listed here."""

from collections import Counter
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
# Our independent branches continue after a failure, so these tasks still run.
GOES_ON = {
    "done-or-skipped/one-task-failed": "mytask2",
    "done-or-skipped/one-run-failed": "mytask14",
    "status/one-task-failed": "mytask2",
    "condition/one-task-failed": "mytask2",
}
# Features of a case that a config does not have: time limits of whole runs.
ELSEWHERE = {"skip/pipeline-tasks-timeout-reached", "finally-skipped/finally-timeout-passed"}
# Tasks that wait for values that are missing at run time (our readers all have a default) or for an empty list of
# combinations (which is rejected).
MISSING = {"mytask20", "mytask21", "mytask22", "final-task-2", "final-task-6", "final-task-7", "mytask15"}


def moment(case: Case) -> RunMoment:
    """Return *case* as a moment of a run."""
    tasks, final = case.get("tasks", []), case.get("finally", [])
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


def without(answers: Mapping[str, bool], names: set[str]) -> dict[str, bool]:
    """Return *answers* without *names* and without tasks that wait for a missing value."""
    return {name: value for name, value in answers.items() if name not in names | {"mytask23"}}


def check_skip(case: Case) -> None:
    """Check which tasks are skipped."""
    now = moment(case)
    expected = case["expect"]["skipped"]
    assert {name: name in skipped(now) for name in without(expected, MISSING)} == without(expected, MISSING)


def check_skip_parent(case: Case) -> None:
    """Check which tasks are skipped because of their predecessors."""
    never = skipped(moment(case))
    expected = case["expect"]["skipped_because_parent_skipped"]
    assert {name: never.get(name) is Reason.BEFORE for name in expected} == expected


def check_queue(case: Case) -> None:
    """Check which tasks start next."""
    assert list(ready(moment(case))) == case["expect"]["queue"]


def check_done(case: Case) -> None:
    """Check which tasks are done or never start."""
    now = moment(case)
    ended = {name for name, state in now.states.items() if state is not Status.UNKNOWN}
    assert {*ended, *skipped(now)} == set(case["expect"]["done_or_skipped"]) - {GOES_ON.get(case["id"])}


def check_final_ready(case: Case) -> None:
    """Check which final tasks start."""
    assert list(final_ready(moment(case))) == case["expect"]["ready"]


def check_final_skipped(case: Case) -> None:
    """Check which final tasks are skipped."""
    now = moment(case)
    expected = without(case["expect"]["skipped"], MISSING)
    assert {name: name not in final_ready(now) for name in expected} == expected


def check_status(case: Case) -> None:
    """Check the status of each task and of the run; we have no separate status for skipped tasks."""
    now = moment(case)
    known = {"Succeeded": {Status.SUCCESS}, "Failed": {Status.FAILED}, "None": {Status.SKIPPED, Status.UNKNOWN}}
    for name, expected in case["expect"]["task_status"].items():
        assert status(name, now) in known[expected]
    if case["id"] in GOES_ON:
        assert (status_of_all(now), ready(now)) == (Status.UNKNOWN, (GOES_ON[case["id"]],))
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
    if case["id"] in GOES_ON:
        assert (result(now), ready(now)) == (Status.UNKNOWN, (GOES_ON[case["id"]],))
    elif case["id"] == "condition/dag-failed-final-skipped":
        # Its last task reads a missing value; with a default, it starts.
        assert final_ready(now) == ("mytask15",)
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
    if case["id"] not in ELSEWHERE:
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


def test_every_case_is_covered(cases: list[Case]) -> None:
    """The number of cases of each kind is fixed, and every difference names a case."""
    counted = Counter(case["kind"] for case in cases)
    ids = {case["id"] for case in cases}

    assert counted == {
        "skip": 10,
        "skip-parent": 2,
        "queue": 11,
        "done_or_skipped": 11,
        "finally_ready": 5,
        "finally_skipped": 2,
        "status": 7,
        "condition": 8,
    }
    assert GOES_ON.keys() | ELSEWHERE <= ids
