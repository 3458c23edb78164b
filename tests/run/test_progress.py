"""The incremental progress of a run agrees with the rules after each change."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from run import rules
from run.graphs import graphs

from pipegen.graph.execution import ExecutionGraph
from pipegen.run.progress import Progress, StatusChanges
from pipegen.run.status import Reason, Status


class TrackedStages:
    """A progress, and all events so far."""

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self.ready: list[str] = []
        self.lost: list[str] = []
        self.running: list[str] = []
        self.allowed: set[str] = set()

    def take(self, news: StatusChanges) -> None:
        """Record *news*, and compare all events so far with the rules."""
        assert {stage for stage, _ in news.skipped}.isdisjoint(news.ready)
        self.ready += news.ready
        self.lost += [stage for stage, _ in news.skipped]
        self.ready = [stage for stage in self.ready if stage not in self.lost]
        self.check()

    def check(self) -> None:
        """Check that the progress agrees with the rules at this moment."""
        moment = rules.moment_of(self.progress, self.allowed)
        final = {stage for stage in self.lost if stage in moment.final}
        stages = (*moment.graph.nodes, *moment.final)

        assert sorted(self.ready) == sorted((*rules.ready(moment), *rules.final_ready(moment)))
        assert len(set(self.lost)) == len(self.lost)
        assert set(self.lost) - final == rules.skipped(moment).keys()
        assert [self.progress.status(node) for node in moment.graph.nodes] == [
            rules.status(node, moment) for node in moment.graph.nodes
        ]
        assert self.progress.status("") == rules.status_of_all(moment)
        assert self.progress.result == rules.result(moment)
        assert self.progress.is_over == (rules.result(moment) is not Status.UNKNOWN)
        assert set(self.ready).isdisjoint(self.lost)
        assert {*self.ready, *self.lost, *moment.states} <= set(stages)


@pytest.mark.slow
@settings(deadline=None)
@given(
    graph=graphs(),
    is_fail_fast=st.booleans(),
    unwanted=st.sets(st.integers(0, 11)),
    finals=st.integers(0, 2),
    data=st.data(),
)
def test_every_change_agrees_with_the_rules(
    graph: ExecutionGraph, *, is_fail_fast: bool, unwanted: set[int], finals: int, data: st.DataObject
) -> None:
    """For any order of starts, ends, refusals and stops."""
    final = tuple(f"f{number}" for number in range(finals))
    stages = (*graph.nodes, *final)
    never = {stages[number] for number in unwanted if number < len(stages)}
    progress = Progress(
        graph, dict.fromkeys(final, ""), is_wanted=lambda stage: stage not in never, is_fail_fast=is_fail_fast
    )
    tracked = TrackedStages(progress)
    tracked.take(progress.begin({}))
    while tracked.ready or tracked.running:
        moves = ["start"] * 4 * bool(tracked.ready) + ["end"] * 4 * bool(tracked.running)
        move = data.draw(st.sampled_from([*moves, *["refuse"] * bool(tracked.ready), "stop", "kill"]))
        match move:
            case "start":
                tracked.running.append(tracked.ready.pop(data.draw(st.integers(0, len(tracked.ready) - 1))))
                progress.start(tracked.running[-1])
                tracked.check()
            case "end":
                stage = tracked.running.pop(data.draw(st.integers(0, len(tracked.running) - 1)))
                state = data.draw(st.sampled_from([Status.SUCCESS, Status.FAILED]))
                is_allowed = state is Status.FAILED and data.draw(st.booleans())
                tracked.allowed |= {stage} if is_allowed else set()
                tracked.take(progress.end(stage, state, is_allowed=is_allowed))
            case "refuse" if tracked.ready[0] in graph:
                tracked.take(progress.refuse(tracked.ready[0]))
            case "stop":
                tracked.take(progress.stop())
            case "kill":
                tracked.take(progress.kill())
    assert progress.is_over


@pytest.mark.slow
@settings(deadline=None)
@given(graph=graphs(), is_fail_fast=st.booleans(), data=st.data())
def test_a_resumed_progress_continues_where_it_ended(
    graph: ExecutionGraph, *, is_fail_fast: bool, data: st.DataObject
) -> None:
    """Ended stages never become ready again, and the rules hold."""
    first = Progress(graph, {"f": ""}, is_wanted=lambda _: True, is_fail_fast=is_fail_fast)
    ready = list(first.begin({}).ready)
    ended: dict[str, Status] = {}
    allowed: set[str] = set()
    for _ in range(data.draw(st.integers(0, 9))):
        if not ready:
            break
        stage = ready.pop(data.draw(st.integers(0, len(ready) - 1)))
        ended[stage] = Status.SUCCESS if data.draw(st.booleans()) else Status.FAILED
        if ended[stage] is Status.FAILED and data.draw(st.booleans()):
            allowed.add(stage)
        first.start(stage)
        news = first.end(stage, ended[stage], is_allowed=stage in allowed)
        ready = [node for node in (*ready, *news.ready) if first.status(node) is not Status.SKIPPED]
    second = Progress(graph, {"f": ""}, is_wanted=lambda _: True, is_fail_fast=is_fail_fast)
    tracked = TrackedStages(second)
    tracked.allowed = allowed
    tracked.take(second.begin(ended, allowed))

    assert set(tracked.ready) == set(ready)
    assert second.result == first.result


def test_the_first_skip_reason_is_kept() -> None:
    """A stage skipped for its condition is not reported as stopped later."""
    progress = Progress(ExecutionGraph([["a"], ["b"]]), {}, is_wanted=lambda stage: stage != "a")
    assert progress.begin({}) == StatusChanges(["b"], [("a", Reason.CONDITION)])
    assert progress.stop() == StatusChanges([], [("b", Reason.STOPPED)])
    assert (progress.status("a"), progress.result) == (Status.SKIPPED, Status.FAILED)


def test_successors_wait_for_repeated_ancestors_of_ended_stages() -> None:
    """They may read it, although the stages between have ended."""
    graph = ExecutionGraph([["image", "lint", "test", "publish"], ["other", "publish"]])
    progress = Progress(graph, {}, is_wanted=lambda _: True)
    ended = {"other": Status.SUCCESS, "test": Status.SUCCESS, "lint": Status.SUCCESS}

    assert progress.begin(ended) == StatusChanges(["image"], [])
    progress.start("image")
    assert progress.end("image", Status.SUCCESS) == StatusChanges(["publish"], [])


def test_a_repeated_ancestor_of_an_ended_stage_may_fail() -> None:
    """The stages that wait for it never start."""
    progress = Progress(ExecutionGraph([["image", "test", "publish"]]), {}, is_wanted=lambda _: True)
    progress.begin({"test": Status.SUCCESS})
    progress.start("image")

    assert progress.end("image", Status.FAILED) == StatusChanges([], [("publish", Reason.BEFORE)])
    assert progress.result is Status.FAILED


def test_a_refused_optional_stage_does_not_fail_the_run() -> None:
    """It is skipped."""
    progress = Progress(ExecutionGraph([["a"], ["b"]]), {}, is_wanted=lambda _: True)
    progress.begin({})
    progress.refuse("a", is_optional=True)
    progress.start("b")
    progress.end("b", Status.SUCCESS)

    assert (progress.status("a"), progress.result) == (Status.SKIPPED, Status.SUCCESS)
