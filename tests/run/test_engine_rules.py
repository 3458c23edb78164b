"""Properties of the engine: each decision agrees with the rules, and no stage starts too early."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from run import rules
from run.graphs import graphs
from run.simulated_runs_in_tests import FAILED, NOWHERE, SUCCESS, ObservedRun, graph_plan

from pipegen.plan.model import AllowFailure, Approval, Delay, Deployment, Failure, Limits, Plan, Retry, Timeout
from pipegen.run.events import Ended, PipelineEnded, Ready, RunEvent, Skipped, Started
from pipegen.run.model import Attempt, AttemptResult, Outcome, RunMachine, Task, TaskId
from pipegen.run.scheduling.scheduler import scheduler
from pipegen.run.status import Status

OUTCOMES = st.sampled_from(
    [
        *(SUCCESS, SUCCESS, FAILED),
        Outcome(result=AttemptResult.FAILED, failure=Failure.SYSTEM),
        Outcome(result=AttemptResult.FAILED, exit_code=7),
    ]
)
LIMITS = st.builds(
    Limits,
    retry=st.none() | st.builds(Retry, st.integers(1, 2), st.just((Failure.SCRIPT, Failure.TIMEOUT)), st.just(NOWHERE)),
    timeout=st.none() | st.builds(Timeout, st.integers(1, 4), st.just(NOWHERE)),
    allow_failure=st.none() | st.builds(AllowFailure, st.sampled_from([(), (7,)]), st.just(NOWHERE)),
)
DEPLOYMENTS = st.sampled_from(
    [
        Deployment(),
        Deployment(),
        Deployment(delay=Delay(2, NOWHERE)),
        Deployment(approval=Approval(message=None, span=NOWHERE)),
    ]
)


@st.composite
def plans(draw: st.DrawFn, name: str = "p") -> Plan:
    """Return a plan of a few stages with random limits and deployments."""
    graph = draw(graphs(most=7))
    final = tuple(f"f{number}" for number in range(draw(st.integers(0, 2))))
    return graph_plan(
        graph,
        name=name,
        final=final,
        limits={stage: draw(LIMITS) for stage in (*graph.nodes, *final)},
        deployments={stage: draw(DEPLOYMENTS) for stage in graph.nodes},
        is_fail_fast=draw(st.booleans()),
    )


@st.composite
def observed_runs(draw: st.DrawFn, *drawn: Plan) -> ObservedRun:
    """Return a simulated run of *drawn* with random outcomes, schedulers, stops and refusals."""
    stages = sorted({job.stage for plan in drawn for job in plan.jobs})
    refused = draw(st.sets(st.sampled_from(stages)))
    slots = draw(st.integers(1, 3))
    # The simplest scheduler, and the real one.
    machines = [RunMachine(name="m", slots=slots), RunMachine(name="other", slots=1)]
    observed = ObservedRun(
        *drawn,
        slots=slots,
        scheduler=scheduler(machines) if draw(st.booleans()) else None,
        durations={stage: draw(st.integers(0, 5)) for stage in stages},
        outcomes={stage: draw(st.lists(OUTCOMES, min_size=1, max_size=3)) for stage in stages},
        unwanted=draw(st.sets(st.sampled_from(stages), max_size=3)),
        ask=lambda task, answer: answer(task.id.stage not in refused),
    )
    if draw(st.booleans()):
        observed.clock.at(draw(st.integers(0, 20)), observed.engine.stop)
        if draw(st.booleans()):
            observed.clock.at(draw(st.integers(0, 20)), lambda: observed.engine.stop(kill=True))
    return observed


@dataclass
class EventRecord:
    """The state of a pipeline according to the events of a run."""

    ready: set[str] = field(default_factory=set)
    states: dict[str, Status] = field(default_factory=dict)
    skipped: set[str] = field(default_factory=set)
    over: list[Status] = field(default_factory=list)

    @classmethod
    def of(cls, events: Sequence[RunEvent], pipeline: str) -> EventRecord:
        """Return the state after *events*; no stage starts unready, runs twice at a time or is skipped twice."""
        record = cls()
        for event in events:
            match event:
                case Ready(task=TaskId(name, stage)) if name == pipeline:
                    assert stage not in record.ready
                    record.ready.add(stage)
                case Skipped(task=TaskId(name, stage)) if name == pipeline:
                    assert stage not in record.skipped | record.states.keys()
                    record.skipped.add(stage)
                case PipelineEnded(pipeline=name) if name == pipeline:
                    record.over.append(event.status)
                case Started(attempt=Attempt(task=Task(id=TaskId(name, stage)))) if name == pipeline:
                    assert stage in record.ready - record.skipped
                    record.states[stage] = Status.UNKNOWN
                case Ended(attempt=Attempt(task=Task(id=TaskId(name, stage)))) if name == pipeline and event.is_final:
                    assert record.states[stage] is Status.UNKNOWN
                    is_good = event.outcome.result is AttemptResult.SUCCESS
                    record.states[stage] = Status.SUCCESS if is_good else Status.FAILED
        return record


def check(observed: ObservedRun, pipeline: str) -> None:
    """Check that the events of *observed* agree with the rules at this moment."""
    record, moment = EventRecord.of(observed.log.events, pipeline), rules.moment_in(observed.engine, pipeline)
    never = rules.skipped(moment)

    assert moment.states == record.states
    assert record.skipped - set(moment.final) == never.keys()
    assert record.ready - record.states.keys() - record.skipped == {*rules.ready(moment), *rules.final_ready(moment)}
    assert record.over == [result for result in [rules.result(moment)] if result is not Status.UNKNOWN]


@pytest.mark.slow
@settings(deadline=None, max_examples=150)
@given(st.data())
def test_every_decision_agrees_with_the_rules(data: st.DataObject) -> None:
    """At each moment, for two parallel pipelines."""
    drawn = [data.draw(plans("one")), data.draw(plans("other"))]
    observed = data.draw(observed_runs(*drawn))

    def look() -> None:
        for plan in drawn:
            check(observed, plan.name)

    observed.clock.look = look
    results = observed.run()

    assert results == {plan.name: rules.result(rules.moment_in(observed.engine, plan.name)) for plan in drawn}
    assert Status.UNKNOWN not in results.values()


@pytest.mark.slow
@settings(deadline=None)
@given(st.data())
def test_attempts_do_not_exceed_the_retry_limit(data: st.DataObject) -> None:
    """They are numbered from one, each ends before the next, and only the last is final."""
    plan = data.draw(plans())
    observed = data.draw(observed_runs(plan))
    observed.run()
    starts = [event.attempt for event in observed.log.events if isinstance(event, Started)]
    ends = [event for event in observed.log.events if isinstance(event, Ended)]
    for job in plan.jobs:
        numbers = [start.number for start in starts if start.task.job is job]
        assert numbers == list(range(1, len(numbers) + 1))
        assert len(numbers) <= 1 + (job.limits.retry.count if job.limits.retry else 0)
        assert sum(end.is_final for end in ends if end.attempt.task.job is job) == bool(numbers)
        assert {end.attempt.number for end in ends if end.attempt.task.job is job} == set(numbers)


@pytest.mark.slow
@settings(deadline=None)
@given(st.data())
def test_no_stage_starts_before_its_predecessors_end(data: st.DataObject) -> None:
    """By the times of the events."""
    plan = data.draw(plans())
    observed = data.draw(observed_runs(plan))
    observed.run()
    over = {event.attempt.task.id.stage: event.time for event in observed.log.events if isinstance(event, Ended)}
    over |= {event.task.stage: event.time for event in observed.log.events if isinstance(event, Skipped)}
    for event in observed.log.events:
        if isinstance(event, Started) and not event.attempt.task.job.is_final:
            before = plan.graph.predecessors(event.attempt.task.id.stage)
            assert all(over[stage] <= event.time for stage in before)
        elif isinstance(event, Started):
            assert all(over[stage] <= event.time for stage in plan.graph.nodes)


@pytest.mark.slow
@settings(deadline=None)
@given(st.data())
def test_runs_are_deterministic(data: st.DataObject) -> None:
    """Events, their order and their times are the same."""
    plan = data.draw(plans())
    times = {job.stage: data.draw(st.integers(0, 3)) for job in plan.jobs}
    first, second = (ObservedRun(plan, durations=times) for _ in range(2))
    first.run()
    second.run()

    assert first.log.events == second.log.events
