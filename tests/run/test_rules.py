"""The rules by which stages start, are skipped, and end."""

from __future__ import annotations

from run.rules import RunMoment, final_ready, is_over, ready, result, skipped, status, status_of_all

from pipegen.graph.execution import ExecutionGraph
from pipegen.run.status import Reason, Status

GRAPH = ExecutionGraph([["build", "test", "release"], ["build", "lint", "release"]])


def test_independent_branches_continue() -> None:
    """Stages after a failure never start; all others do."""
    now = RunMoment(graph=GRAPH, states={"build": Status.SUCCESS, "test": Status.FAILED})

    assert skipped(now) == {"release": Reason.BEFORE}
    assert ready(now) == ("lint",)
    assert (is_over(now), status_of_all(now)) == (False, Status.UNKNOWN)


def test_fail_fast_starts_no_further_stages() -> None:
    """Running stages end, and then finally stages start."""
    running = RunMoment(
        graph=GRAPH,
        final=("report",),
        states={"build": Status.SUCCESS, "test": Status.FAILED, "lint": Status.UNKNOWN},
        is_fail_fast=True,
    )
    ended = RunMoment(
        graph=GRAPH,
        final=("report",),
        states={"build": Status.SUCCESS, "test": Status.FAILED, "lint": Status.SUCCESS},
        is_fail_fast=True,
    )

    assert skipped(running) == {"release": Reason.STOPPED}
    assert (ready(running), final_ready(running)) == ((), ())
    assert (final_ready(ended), status_of_all(ended)) == (("report",), Status.FAILED)


def test_an_allowed_failure_does_not_block_successors() -> None:
    """It does not count for the pipeline, but it is the status of the stage."""
    now = RunMoment(
        graph=GRAPH,
        states={"build": Status.SUCCESS, "test": Status.FAILED, "lint": Status.SUCCESS},
        allowed={"test"},
        is_fail_fast=True,
    )

    assert ready(now) == ("release",)
    assert status("test", now) is Status.FAILED


def test_a_false_condition_skips_the_stage_but_keeps_the_order() -> None:
    """Its successors wait for its predecessors."""
    early = RunMoment(graph=GRAPH, states={"build": Status.UNKNOWN}, unwanted={"test", "lint"})
    late = RunMoment(graph=GRAPH, states={"build": Status.SUCCESS}, unwanted={"test", "lint"})
    failed = RunMoment(graph=GRAPH, states={"build": Status.FAILED}, unwanted={"test", "lint"})

    assert ready(early) == ()
    assert (ready(late), status("test", late)) == (("release",), Status.SKIPPED)
    assert skipped(failed) == dict.fromkeys(("test", "lint", "release"), Reason.BEFORE)


def test_a_failing_finally_stage_fails_the_run() -> None:
    """A finally stage whose condition is false is not waited for."""
    states = dict.fromkeys(("build", "test", "lint", "release"), Status.SUCCESS)
    now = RunMoment(graph=GRAPH, final=("report", "clean"), states=states, unwanted={"clean"})
    well = RunMoment(
        graph=GRAPH, final=("report", "clean"), states={**states, "report": Status.SUCCESS}, unwanted={"clean"}
    )
    badly = RunMoment(
        graph=GRAPH, final=("report", "clean"), states={**states, "report": Status.FAILED}, unwanted={"clean"}
    )

    assert (final_ready(now), result(now)) == (("report",), Status.UNKNOWN)
    assert (result(well), result(badly)) == (Status.SUCCESS, Status.FAILED)
    assert status_of_all(badly) is Status.SUCCESS
