"""Tests of the rules by which stages start, are skipped, and end."""

from __future__ import annotations

from run.rules import RunMoment, final_ready, is_over, ready, result, skipped, status, status_of_all

from pipegen.graph.execution import ExecutionGraph
from pipegen.run.outcome import Reason, State, Status

GRAPH = ExecutionGraph([["build", "test", "release"], ["build", "lint", "release"]])


def test_independent_branches_go_on() -> None:
    """What comes after a failure never starts; what does not, does."""
    now = RunMoment(graph=GRAPH, states={"build": State.SUCCESS, "test": State.FAILED})

    assert skipped(now) == {"release": Reason.BEFORE}
    assert ready(now) == ("lint",)
    assert (is_over(now), status_of_all(now)) == (False, Status.UNKNOWN)


def test_fail_fast_lets_nothing_new_start() -> None:
    """What runs ends, and finally stages start then."""
    running = RunMoment(
        graph=GRAPH,
        final=("report",),
        states={"build": State.SUCCESS, "test": State.FAILED, "lint": State.RUNNING},
        is_fail_fast=True,
    )
    ended = RunMoment(
        graph=GRAPH,
        final=("report",),
        states={"build": State.SUCCESS, "test": State.FAILED, "lint": State.SUCCESS},
        is_fail_fast=True,
    )

    assert skipped(running) == {"release": Reason.STOPPED}
    assert (ready(running), final_ready(running)) == ((), ())
    assert (final_ready(ended), status_of_all(ended)) == (("report",), Status.FAILED)


def test_an_allowed_failure_holds_nothing_up() -> None:
    """It does not count for the pipeline, and is told of the stage."""
    now = RunMoment(
        graph=GRAPH,
        states={"build": State.SUCCESS, "test": State.FAILED, "lint": State.SUCCESS},
        allowed={"test"},
        is_fail_fast=True,
    )

    assert ready(now) == ("release",)
    assert status("test", now) is Status.FAILED


def test_a_false_condition_holds_nothing_up_but_keeps_the_order() -> None:
    """The stages after the skipped one wait for those before it."""
    early = RunMoment(graph=GRAPH, states={"build": State.RUNNING}, unwanted={"test", "lint"})
    late = RunMoment(graph=GRAPH, states={"build": State.SUCCESS}, unwanted={"test", "lint"})
    failed = RunMoment(graph=GRAPH, states={"build": State.FAILED}, unwanted={"test", "lint"})

    assert ready(early) == ()
    assert (ready(late), status("test", late)) == (("release",), Status.SKIPPED)
    assert skipped(failed) == dict.fromkeys(("test", "lint", "release"), Reason.BEFORE)


def test_a_failing_finally_stage_fails_the_run() -> None:
    """One whose condition is false is not waited for."""
    states = dict.fromkeys(("build", "test", "lint", "release"), State.SUCCESS)
    now = RunMoment(graph=GRAPH, final=("report", "clean"), states=states, unwanted={"clean"})
    well = RunMoment(
        graph=GRAPH, final=("report", "clean"), states={**states, "report": State.SUCCESS}, unwanted={"clean"}
    )
    badly = RunMoment(
        graph=GRAPH, final=("report", "clean"), states={**states, "report": State.FAILED}, unwanted={"clean"}
    )

    assert (final_ready(now), result(now)) == (("report",), Status.UNKNOWN)
    assert (result(well), result(badly)) == (Status.SUCCESS, Status.FAILED)
    assert status_of_all(badly) is Status.SUCCESS
