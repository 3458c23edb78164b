"""Tests that what is kept up to date is what the rules say, after each change."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from run import rules
from run.graphs import graphs

from pipegen.graph.execution import ExecutionGraph
from pipegen.run.outcome import Reason, State, Status
from pipegen.run.progress import Progress, StatusChanges


class Told:
    """A progress, and what it has told so far."""

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self.ready: list[str] = []
        self.lost: list[str] = []
        self.running: list[str] = []
        self.allowed: set[str] = set()

    def take(self, news: StatusChanges) -> None:
        """Take note of *news*, and hold all that was told against the rules."""
        assert {stage for stage, _ in news.skipped}.isdisjoint(news.ready)
        self.ready += news.ready
        self.lost += [stage for stage, _ in news.skipped]
        self.ready = [stage for stage in self.ready if stage not in self.lost]
        self.check()

    def check(self) -> None:
        """Expect what the rules say of this moment."""
        moment = rules.moment_of(self.progress, self.allowed)
        final = {stage for stage in self.lost if stage in moment.final}
        stages = (*moment.graph.nodes, *moment.final)

        assert sorted(self.ready) == sorted((*rules.ready(moment), *rules.final_ready(moment)))
        assert len(set(self.lost)) == len(self.lost)
        assert set(self.lost) - final == rules.skipped(moment).keys()
        assert self.progress.skipped().keys() == set(self.lost)
        assert [self.progress.status(one) for one in moment.graph.nodes] == [
            rules.status(one, moment) for one in moment.graph.nodes
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
def test_every_change_comes_to_what_the_rules_say(
    graph: ExecutionGraph, *, is_fail_fast: bool, unwanted: set[int], finals: int, data: st.DataObject
) -> None:
    """Whatever starts, ends, is refused or stopped, in whatever order."""
    final = tuple(f"f{number}" for number in range(finals))
    stages = (*graph.nodes, *final)
    never = {stages[number] for number in unwanted if number < len(stages)}
    progress = Progress(graph, final, is_wanted=lambda stage: stage not in never, is_fail_fast=is_fail_fast)
    told = Told(progress)
    told.take(progress.begin({}))
    while told.ready or told.running:
        moves = ["start"] * 4 * bool(told.ready) + ["end"] * 4 * bool(told.running)
        move = data.draw(st.sampled_from([*moves, *["refuse"] * bool(told.ready), "stop", "kill"]))
        match move:
            case "start":
                told.running.append(told.ready.pop(data.draw(st.integers(0, len(told.ready) - 1))))
                progress.start(told.running[-1])
                told.check()
            case "end":
                stage = told.running.pop(data.draw(st.integers(0, len(told.running) - 1)))
                state = data.draw(st.sampled_from([State.SUCCESS, State.FAILED]))
                is_allowed = state is State.FAILED and data.draw(st.booleans())
                told.allowed |= {stage} if is_allowed else set()
                told.take(progress.end(stage, state, is_allowed=is_allowed))
            case "refuse" if told.ready[0] in graph:
                told.take(progress.refuse(told.ready[0]))
            case "stop":
                told.take(progress.stop())
            case "kill":
                told.take(progress.kill())
    assert progress.is_over


@pytest.mark.slow
@settings(deadline=None)
@given(graph=graphs(), is_fail_fast=st.booleans(), data=st.data())
def test_a_run_begins_where_an_earlier_one_ended(
    graph: ExecutionGraph, *, is_fail_fast: bool, data: st.DataObject
) -> None:
    """Whenever it was cut off: what had ended never becomes ready again, and the rules hold."""
    first = Progress(graph, ("f",), is_wanted=lambda _: True, is_fail_fast=is_fail_fast)
    ready = list(first.begin({}).ready)
    ended: dict[str, State] = {}
    allowed: set[str] = set()
    for _ in range(data.draw(st.integers(0, 9))):
        if not ready:
            break
        stage = ready.pop(data.draw(st.integers(0, len(ready) - 1)))
        ended[stage] = State.SUCCESS if data.draw(st.booleans()) else State.FAILED
        if ended[stage] is State.FAILED and data.draw(st.booleans()):
            allowed.add(stage)
        first.start(stage)
        news = first.end(stage, ended[stage], is_allowed=stage in allowed)
        ready = [one for one in (*ready, *news.ready) if one not in first.skipped()]
    second = Progress(graph, ("f",), is_wanted=lambda _: True, is_fail_fast=is_fail_fast)
    told = Told(second)
    told.allowed = allowed
    told.take(second.begin(ended, allowed))

    assert set(told.ready) == set(ready)
    assert second.result == first.result


def test_the_first_reason_stays() -> None:
    """A stage that was skipped for its condition is not stopped later on."""
    progress = Progress(ExecutionGraph([["a"], ["b"]]), (), is_wanted=lambda stage: stage != "a")
    assert progress.begin({}) == StatusChanges(["b"], [("a", Reason.CONDITION)])
    assert progress.stop() == StatusChanges([], [("b", Reason.STOPPED)])
    assert (progress.skipped()["a"], progress.result) == (Reason.CONDITION, Status.FAILED)


def test_what_is_after_one_that_ended_waits_for_what_is_before_it() -> None:
    """A stage that runs again may be read by one far down, though those between them had ended."""
    graph = ExecutionGraph([["image", "lint", "test", "publish"], ["other", "publish"]])
    progress = Progress(graph, (), is_wanted=lambda _: True)
    ended = {"other": State.SUCCESS, "test": State.SUCCESS, "lint": State.SUCCESS}

    assert progress.begin(ended) == StatusChanges(["image"], [])
    progress.start("image")
    assert progress.end("image", State.SUCCESS) == StatusChanges(["publish"], [])


def test_what_is_before_one_that_ended_may_fail() -> None:
    """What waits for it never starts."""
    progress = Progress(ExecutionGraph([["image", "test", "publish"]]), (), is_wanted=lambda _: True)
    progress.begin({"test": State.SUCCESS})
    progress.start("image")

    assert progress.end("image", State.FAILED) == StatusChanges([], [("publish", Reason.BEFORE)])
    assert progress.result is Status.FAILED


def test_a_run_goes_on_without_an_optional_stage() -> None:
    """Its approval was refused, which is no failure."""
    progress = Progress(ExecutionGraph([["a"], ["b"]]), (), is_wanted=lambda _: True)
    progress.begin({})
    progress.refuse("a", is_optional=True)
    progress.start("b")
    progress.end("b", State.SUCCESS)

    assert (progress.status("a"), progress.result) == (Status.SKIPPED, Status.SUCCESS)
