"""The loop of the engine in simulated runs."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from run.graphs import GRAPH
from run.simulated_runs_in_tests import FAILED, NOWHERE, SUCCESS, EventLog, ObservedRun, Slots, graph_plan

from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.model import AllowFailure, Approval, Delay, Deployment, Failure, Limits, Retry, Timeout
from pipegen.run.engine import Engine, StalledError
from pipegen.run.events import Cause, Started
from pipegen.run.executors.simulated import SimulatedExecutor, VirtualClock
from pipegen.run.model import AttemptResult, Outcome, Task, TaskId
from pipegen.run.scheduling.base import Refusal
from pipegen.run.status import Status
from pipegen.run.tasks import pipeline_run
from pipegen.structs import replace

CANCELLED = Outcome(result=AttemptResult.CANCELLED)


def retry(count: int, *on: Failure) -> Limits:
    """Return limits with *count* retries."""
    return Limits(retry=Retry(count, on or tuple(Failure), NOWHERE))


def test_stages_run_in_order_and_in_parallel() -> None:
    """Both branches end at the same time, before the next cycle of the scheduler."""
    observed = ObservedRun(graph_plan(GRAPH))

    assert observed.run() == {"p": Status.SUCCESS}
    assert observed.log.words() == [
        *("build ready", "build starts", "1: build success"),
        *("test ready", "lint ready", "test starts", "lint starts", "2: test success", "lint success"),
        *("release ready", "release starts", "3: release success", "p success"),
    ]


def test_a_stage_without_a_free_slot_waits() -> None:
    """The reason is reported once."""
    observed = ObservedRun(graph_plan(ExecutionGraph([["a"], ["b"]])), slots=1)
    observed.run()

    assert observed.log.words() == [
        *("a ready", "b ready", "a starts", "b waits for slot", "1: a success", "b starts", "2: b success"),
        "p success",
    ]


def test_independent_branches_continue_after_a_failure() -> None:
    """Stages after the failed one never start; finally stages do."""
    observed = ObservedRun(graph_plan(GRAPH, final=["report"]), outcomes={"test": [FAILED]}, durations={"lint": 2.0})

    assert observed.run() == {"p": Status.FAILED}
    assert observed.log.words()[6:] == [
        *("lint starts", "2: test failed", "release skipped: before", "3: lint success"),
        *("report ready", "report starts", "4: report success", "p failed"),
    ]


def test_fail_fast_lets_running_stages_end() -> None:
    """No other stage starts."""
    graph = ExecutionGraph([["a", "b"], ["c", "d"], ["e", "f"]])
    observed = ObservedRun(
        graph_plan(graph, is_fail_fast=True), slots=3, outcomes={"a": [FAILED]}, durations={"c": 2.0, "e": 1.0}
    )
    observed.run()

    assert observed.log.words()[6:] == [
        *("1: a failed", "b skipped: stopped", "d skipped: stopped", "f skipped: stopped"),
        *("e success", "2: c success", "p failed"),
    ]


def test_a_pipeline_that_takes_too_long_is_stopped() -> None:
    """Its running stages fail for good, even if they may fail or be retried, and only finally stages start."""
    graph = ExecutionGraph([["a", "b"], ["c", "d"]])
    limits = {"a": retry(2), "c": Limits(allow_failure=AllowFailure(exit_codes=(), span=NOWHERE))}
    observed = ObservedRun(
        graph_plan(graph, final=["end"], limits=limits, timeout=3), slots=2, durations={"a": 9.0, "c": 9.0, "end": 9.0}
    )

    assert observed.run() == {"p": Status.FAILED}
    assert observed.log.words()[4:] == [
        *("3: b skipped: stopped", "d skipped: stopped", "a timeout", "c timeout"),
        *("end ready", "end starts", "12: end success", "p failed"),
    ]


def test_a_pipeline_in_time_is_not_stopped() -> None:
    """Its limit does not delay its end."""
    observed = ObservedRun(graph_plan(ExecutionGraph([["a"]]), timeout=3), durations={"a": 2.0})

    assert observed.run() == {"p": Status.SUCCESS}
    assert observed.log.words()[-2:] == ["2: a success", "p success"]


def test_a_failed_attempt_is_retried() -> None:
    """Up to the limit, after the scheduler's delay; the last attempt counts."""
    plan = graph_plan(ExecutionGraph([["a", "b"]]), limits={"a": retry(2)})
    well = ObservedRun(plan, outcomes={"a": [FAILED, FAILED, SUCCESS]})
    badly = ObservedRun(plan, outcomes={"a": [FAILED]})

    assert (well.run(), badly.run()) == ({"p": Status.SUCCESS}, {"p": Status.FAILED})
    assert well.log.words()[1:8] == [
        *("a starts", "1: a failed, again", "2: a starts (2)", "3: a failed, again", "5: a starts (3)"),
        *("6: a success", "b ready"),
    ]
    assert badly.log.words()[-3:] == ["6: a failed", "b skipped: before", "p failed"]


@pytest.mark.parametrize(
    ("failure", "on", "attempts"),
    [
        (Failure.SYSTEM, Failure.SYSTEM, 2),
        (Failure.SCRIPT, Failure.SYSTEM, 1),
        (None, Failure.SCRIPT, 2),
        (None, Failure.TIMEOUT, 1),
    ],
)
def test_only_the_listed_kinds_of_failures_are_retried(failure: Failure | None, on: Failure, attempts: int) -> None:
    """A failure without a kind counts as one of the script."""
    outcome = Outcome(result=AttemptResult.FAILED, failure=failure)
    observed = ObservedRun(graph_plan(ExecutionGraph([["a"]]), limits={"a": retry(1, on)}), outcomes={"a": [outcome]})
    observed.run()

    assert sum(isinstance(event, Started) for event in observed.log.events) == attempts


def test_the_timeout_applies_to_each_attempt() -> None:
    """A late attempt fails even if it exits with 0, and may be retried."""
    limits = Limits(timeout=Timeout(3, NOWHERE), retry=Retry(1, (Failure.TIMEOUT,), NOWHERE))
    observed = ObservedRun(graph_plan(ExecutionGraph([["a", "b"]]), limits={"a": limits}), durations={"a": 9.0})

    assert observed.run() == {"p": Status.FAILED}
    assert observed.log.words()[1:] == [
        *("a starts", "3: a timeout, again", "4: a starts (2)", "7: a timeout", "b skipped: before", "p failed"),
    ]


def test_an_attempt_does_not_inherit_the_timer_of_another() -> None:
    """This holds after an attempt that timed out, and after one that ended early."""
    limits = {"a": Limits(timeout=Timeout(3, NOWHERE), retry=Retry(1, tuple(Failure), NOWHERE))}
    plan = graph_plan(ExecutionGraph([["a"]]), limits=limits)
    after_late = ObservedRun(plan, durations={"a": 9.0}, later={"a": 2.5})
    after_early = ObservedRun(plan, later={"a": 2.5}, outcomes={"a": [FAILED, SUCCESS]})

    assert (after_late.run(), after_early.run()) == ({"p": Status.SUCCESS}, {"p": Status.SUCCESS})
    assert after_early.log.words()[1:] == [
        "a starts",
        "1: a failed, again",
        "2: a starts (2)",
        "4.5: a success",
        "p success",
    ]


def test_an_attempt_that_ignores_the_stop_is_killed() -> None:
    """After a grace period; it has no exit code that could be allowed."""
    pairs: list[tuple[float, bool]] = []

    class Stubborn(SimulatedExecutor):
        def stop(self, attempt: object, *, kill: bool) -> None:
            del attempt
            pairs.append((clock.now(), kill))

    clock = VirtualClock()
    limits = Limits(timeout=Timeout(3, NOWHERE), allow_failure=AllowFailure((7,), NOWHERE))
    plan = graph_plan(ExecutionGraph([["a"]]), limits={"a": limits})
    executor = Stubborn(clock, lambda _: 20.0, lambda _: Outcome(result=AttemptResult.FAILED, exit_code=7))
    status = Engine([pipeline_run(plan)], clock=clock, executor=executor, scheduler=Slots(1)).run()

    assert (status, pairs) == ({"p": Status.FAILED}, [(3.0, False), (13.0, True)])


@pytest.mark.parametrize(
    ("codes", "code", "expected"),
    [((), 7, Status.SUCCESS), ((), None, Status.SUCCESS), ((7, 8), 7, Status.SUCCESS), ((7, 8), 9, Status.FAILED)],
)
def test_an_allowed_failure_does_not_block_successors(
    codes: tuple[int, ...], code: int | None, expected: Status
) -> None:
    """If exit codes are listed, only those are allowed."""
    limits = Limits(allow_failure=AllowFailure(codes, NOWHERE))
    observed = ObservedRun(
        graph_plan(ExecutionGraph([["a", "b"]]), limits={"a": limits}),
        outcomes={"a": [Outcome(result=AttemptResult.FAILED, exit_code=code)]},
    )

    assert observed.run() == {"p": expected}
    assert ("b ready" in observed.log.words()) == (expected is Status.SUCCESS)


def test_a_false_condition_is_evaluated_late_and_skips_the_stage() -> None:
    """Its successors wait for its predecessors."""
    observed = ObservedRun(graph_plan(GRAPH), unwanted={"test", "lint"})
    observed.run()

    assert observed.log.words()[2:] == [
        *("1: build success", "test skipped: condition", "lint skipped: condition", "release ready"),
        *("release starts", "2: release success", "p success"),
    ]


def test_a_delay_uses_no_slot() -> None:
    """Other stages run in the meantime."""
    plan = graph_plan(ExecutionGraph([["a"], ["b"]]), deployments={"a": Deployment(delay=Delay(5, NOWHERE))})
    observed = ObservedRun(plan, slots=1)
    observed.run()

    assert observed.log.words() == [
        *("a ready", "a waits for delay", "b ready", "b starts", "1: b success", "5: a starts", "6: a success"),
        "p success",
    ]


@pytest.mark.parametrize(("is_yes", "expected"), [(True, Status.SUCCESS), (False, Status.FAILED)])
def test_an_approval_starts_or_refuses_a_stage(is_yes: bool, expected: Status) -> None:  # noqa: FBT001 - the answer
    """The answer may be immediate or late; a refusal fails the pipeline."""
    functions: list[Callable[[bool], None]] = []
    plan = graph_plan(
        ExecutionGraph([["a", "b"]]), deployments={"a": Deployment(approval=Approval(message=None, span=NOWHERE))}
    )
    later = ObservedRun(plan, ask=lambda _, answer: functions.append(answer))
    later.clock.at(7.0, lambda: functions[0](is_yes))
    at_once = ObservedRun(plan, ask=lambda _, answer: answer(is_yes))

    assert (later.run(), at_once.run()) == ({"p": expected}, {"p": expected})
    assert later.log.words()[:2] == at_once.log.words()[:2] == ["a ready", "a waits for approval"]
    assert later.log.words()[2] == ("7: a starts" if is_yes else "7: a skipped: refused")


def test_a_late_answer_to_an_approval_is_ignored() -> None:
    """The run was stopped before."""
    functions: list[Callable[[bool], None]] = []
    plan = graph_plan(
        ExecutionGraph([["a"], ["b"]]), deployments={"a": Deployment(approval=Approval(message=None, span=NOWHERE))}
    )
    observed = ObservedRun(plan, ask=lambda _, answer: functions.append(answer), durations={"b": 5.0})
    observed.clock.at(1.0, observed.engine.stop)
    observed.clock.at(2.0, lambda: functions[0](True))

    assert observed.run() == {"p": Status.FAILED}
    assert observed.log.words()[4:] == ["1: a skipped: stopped", "5: b success", "p failed"]


def test_the_first_stop_lets_running_stages_end() -> None:
    """Finally stages run."""
    observed = ObservedRun(graph_plan(GRAPH, final=["report"]), durations={"build": 4.0})
    observed.clock.at(1.0, observed.engine.stop)

    assert observed.run() == {"p": Status.FAILED}
    assert observed.log.words()[2:] == [
        *("1: test skipped: stopped", "release skipped: stopped", "lint skipped: stopped"),
        *("4: build success", "report ready", "report starts", "5: report success", "p failed"),
    ]


def test_the_second_stop_kills_running_stages() -> None:
    """Finally stages do not start."""
    observed = ObservedRun(graph_plan(GRAPH, final=["report"]), durations={"build": 9.0})
    observed.clock.at(1.0, observed.engine.stop)
    observed.clock.at(2.0, lambda: observed.engine.stop(kill=True))

    assert observed.run() == {"p": Status.FAILED}
    assert observed.log.words()[5:] == ["2: report skipped: stopped", "build cancelled", "p failed"]


def test_a_stop_between_attempts_makes_the_last_one_final() -> None:
    """It is reported again, as final."""
    plan = graph_plan(ExecutionGraph([["a", "b"]]), limits={"a": retry(5)}, final=["f"])
    observed = ObservedRun(plan, outcomes={"a": [FAILED]})
    observed.clock.at(3.5, observed.engine.stop)

    assert observed.run() == {"p": Status.FAILED}
    assert observed.log.words()[5:] == [
        *("3.5: b skipped: stopped", "a failed", "f ready", "f starts", "4.5: f success", "p failed"),
    ]


def test_an_attempt_that_fails_after_a_stop_is_not_retried() -> None:
    """It was running when the run was stopped."""
    observed = ObservedRun(graph_plan(ExecutionGraph([["a"]]), limits={"a": retry(5)}), outcomes={"a": [FAILED]})
    observed.clock.at(0.5, observed.engine.stop)
    observed.run()

    assert observed.log.words()[2:] == ["1: a failed", "p failed"]


def test_finally_stages_receive_statuses_when_they_start() -> None:
    """Of the stages that they read and of the pipeline."""
    plan = graph_plan(GRAPH, final=["report"])
    pair = ("", "build", "test", "release", "nothing")
    jobs = tuple(replace(job, statuses=pair) if job.is_final else job for job in plan.jobs)
    observed = ObservedRun(replace(plan, jobs=jobs), outcomes={"test": [FAILED]})
    observed.run()
    starts = [event.attempt for event in observed.log.events if isinstance(event, Started)]

    assert dict(starts[-1].statuses) == {
        "": Status.FAILED,
        "build": Status.SUCCESS,
        "test": Status.FAILED,
        "release": Status.SKIPPED,
        "nothing": Status.UNKNOWN,
    }
    assert starts[0].statuses == ()


@pytest.mark.parametrize(("outcome", "skipped"), [(FAILED, "announce"), (SUCCESS, "alert")])
def test_finally_stages_run_for_the_status_of_the_pipeline(outcome: Outcome, skipped: str) -> None:
    """Those of another status are skipped, and do not change the result."""
    plan = graph_plan(GRAPH, final=["alert", "announce"])
    status_of = {"alert": "failed", "announce": "success"}
    jobs = tuple(replace(job, on_status=status_of.get(job.stage, "")) for job in plan.jobs)
    observed = ObservedRun(replace(plan, jobs=jobs), outcomes={"test": [outcome]})
    result = Status.FAILED if outcome is FAILED else Status.SUCCESS

    assert observed.run() == {"p": result}
    assert [word for word in observed.log.words() if "skipped" in word and "release" not in word] == [
        f"{skipped} skipped: result"
    ]


def test_parallel_pipelines_end_independently() -> None:
    """A failure in one does not affect the other."""
    plan = graph_plan(ExecutionGraph([["a", "b"]]), name="one", is_fail_fast=True)
    other = graph_plan(ExecutionGraph([["a", "c"]]), name="other")
    observed = ObservedRun(plan, other, outcomes={"b": [FAILED]}, durations={"c": 3.0})

    assert observed.run() == {"one": Status.FAILED, "other": Status.SUCCESS}
    assert observed.log.words()[-4:] == ["2: b failed", "one failed", "4: c success", "other success"]


def test_a_resumed_run_keeps_the_results_of_ended_stages() -> None:
    """They do not run again, and their outcomes count."""
    plan = graph_plan(GRAPH, limits={"lint": Limits(allow_failure=AllowFailure((), NOWHERE))})
    observed = ObservedRun(plan, ended={TaskId("p", "build"): SUCCESS, TaskId("p", "lint"): FAILED})

    assert observed.run() == {"p": Status.SUCCESS}
    assert observed.log.words()[:3] == ["test ready", "test starts", "1: test success"]


def test_resuming_a_completed_run_ends_immediately() -> None:
    """No stage starts."""
    ended = {TaskId("p", stage): SUCCESS for stage in ("build", "test", "lint")}
    observed = ObservedRun(graph_plan(GRAPH), ended={**ended, TaskId("p", "release"): CANCELLED})

    assert observed.run() == {"p": Status.FAILED}
    assert observed.log.words() == ["p failed"]


def test_stages_that_can_never_start_are_reported() -> None:
    """Otherwise the run would wait forever."""
    clock = VirtualClock()
    engine = Engine(
        [pipeline_run(graph_plan(GRAPH))],
        clock=clock,
        executor=SimulatedExecutor(clock, lambda _: 1.0),
        scheduler=Slots(0),
    )

    with pytest.raises(StalledError, match=r'these stages have not run: "build", "test", "release", "lint"'):
        engine.run()


def test_a_reused_result_is_a_success() -> None:
    """Successors run."""
    outcome = Outcome(result=AttemptResult.REUSED)
    observed = ObservedRun(graph_plan(ExecutionGraph([["a", "b"]])), outcomes={"a": [outcome]})

    assert observed.run() == {"p": Status.SUCCESS}


def test_the_approver_is_given_the_task() -> None:
    """Its stage and its message."""
    tasks: list[Task] = []

    def ask(task: Task, answer: Callable[[bool], None]) -> None:
        tasks.append(task)
        answer(True)

    deployment = Deployment(approval=Approval(message="Sure?", span=NOWHERE))
    ObservedRun(graph_plan(ExecutionGraph([["a"]]), deployments={"a": deployment}), ask=ask).run()

    assert [(task.id.stage, task.job.deployment) for task in tasks] == [("a", deployment)]


def test_a_held_stage_frees_its_slot() -> None:
    """Other stages start there; the reason is reported once, however often it is held."""
    clock, log = VirtualClock(), EventLog()
    free: list[Callable[[], None]] = []

    def hold(task: Task, call: Callable[[], None]) -> Refusal | None:
        if task.id.stage == "a" and clock.now() < 3:
            clock.at(clock.now() + 1, call)
            free.append(call)
            return Refusal(task, Cause.LOCK, "l")
        return None

    run = pipeline_run(graph_plan(ExecutionGraph([["a", "c"], ["b"]])))
    engine = Engine(
        [run],
        clock=clock,
        executor=SimulatedExecutor(clock, lambda _: 1.0),
        scheduler=Slots(1),
        listeners=[log],
        hold=hold,
    )

    assert engine.run() == {"p": Status.SUCCESS}
    assert log.words() == [
        *("a ready", "b ready", "a waits for lock", "b waits for slot", "b starts", "1: b success"),
        *("3: a starts", "4: a success", "c ready", "c starts", "5: c success", "p success"),
    ]
    # Later changes have no effect.
    free[0]()


def test_a_held_stage_can_be_stopped() -> None:
    """It has not started, so it is skipped."""
    clock, log = VirtualClock(), EventLog()
    engine = Engine(
        [pipeline_run(graph_plan(ExecutionGraph([["a"]])))],
        clock=clock,
        executor=SimulatedExecutor(clock, lambda _: 1.0),
        scheduler=Slots(1),
        listeners=[log],
        hold=lambda task, call: (clock.at(5.0, call), Refusal(task, Cause.EQUAL, ""))[1],
    )
    clock.at(2.0, engine.stop)

    assert engine.run() == {"p": Status.FAILED}
    assert log.words()[-2:] == ["2: a skipped: stopped", "p failed"]
