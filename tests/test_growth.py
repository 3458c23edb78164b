"""Growth of the cost with the number of stages, measured in calls or lines, independent of the machine."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, cast

import pytest
from benchmarks.workload import config
from fleet.fleets import fleet, load, stage_times

from pipegen.compiler import analyse, generate
from pipegen.diagnostics.report import Report
from pipegen.fleet.arrivals import Starts
from pipegen.fleet.distributions import FixedTime
from pipegen.fleet.simulation import FleetSimulation
from pipegen.importing.accounting import Accounting
from pipegen.importing.gitlab.reading.expressions.formulas import Facts
from pipegen.importing.gitlab.reading.files import read_files
from pipegen.importing.gitlab.reading.jobs import resolve
from pipegen.importing.gitlab.reading.locations import Roots
from pipegen.importing.gitlab.runnable import runnable
from pipegen.importing.gitlab.runs import run
from pipegen.run.events import Ended, Ready, Skipped, Started
from pipegen.run.local.cache.demand import RequiredResults
from pipegen.run.local.cache.results import Results
from pipegen.run.model import Attempt, AttemptResult, Outcome, Task, TaskId
from pipegen.run.scheduling.actions.allocate import allocate
from pipegen.run.scheduling.actions.evicting import preempt
from pipegen.run.scheduling.job_queues import Gang, JobQueue, QueuedTask
from pipegen.run.scheduling.nodes import SchedulerNode
from pipegen.run.scheduling.plugins import Scheduling, open_session
from pipegen.run.status import Reason
from pipegen.run.tasks import pipeline_run
from pipegen.source.text import SourceFile
from pipegen.structs import Struct, replace
from pipegen.targets import registry
from pipegen.targets.gitlab.condensed.names import TemplateNames
from pipegen.targets.gitlab.condensed.shared_keys import with_shared_keys
from pipegen.targets.gitlab.model import EMPTY_JOB, Document, VariableEntry
from pipegen.targets.gitlab.settings import Workflow

SMALL, LARGE = 200, 2_000


def calls(work: Callable[[], object]) -> int:
    """Return the number of function calls of *work*, including C functions."""
    count = 0

    def profile(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        if event in ("call", "c_call"):
            count += 1

    gc.disable()  # garbage collection would add calls
    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(None)
        gc.enable()
    return count


def lines(work: Callable[[], object]) -> int:
    """Return the number of lines that *work* executes, each pass of a loop anew."""
    count = 0

    def trace(_frame: FrameType, event: str, _argument: object) -> Callable[..., Any]:
        nonlocal count
        count += event == "line"
        return trace

    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(None)
    return count


def check(size: int) -> int:
    """Return the number of calls that check *size* stages."""
    file = SourceFile("pipegen.yaml", config(size))
    return calls(lambda: analyse(file, (), Report(), {}))


def check_files(size: int, *, chosen: bool) -> int:
    """Return the number of lines that check a chain of *size* stages with files of all, or *chosen* of the last one."""
    stages = "".join(
        f"      - {{ name: s{number}, script: [make], artifacts: [s{number}], files_from: [s{number - 1}] }}\n"
        if number and chosen
        else f"      - {{ name: s{number}, script: [make], artifacts: [s{number}] }}\n"
        for number in range(size)
    )
    file = SourceFile("pipegen.yaml", f"pipelines:\n  p:\n    stages:\n{stages}")
    return lines(lambda: analyse(file, (), Report(), {}))


def check_patterns(size: int) -> int:
    """Return the number of calls that check *size* stages without order: half leave a file, the others a pattern."""
    files = ("a.txt", "*.txt")
    stages = "".join(
        f"      - {{ name: s{number}, script: [make], artifacts: [out/s{number}/{files[number % 2]}] }}\n"
        for number in range(size)
    )
    file = SourceFile("pipegen.yaml", f"pipelines:\n  p:\n    stages:\n{stages}")
    return calls(lambda: analyse(file, (), Report(), {}))


def compile_to(name: str, size: int, text: str = "") -> int:
    """Return the number of calls that generate the file of *size* checked stages for the target *name*.

    *text* is the config, by default one of the benchmarks.
    """
    analysed = analyse(SourceFile("pipegen.yaml", text or config(size)), (), Report(), {})
    target = registry.load(name)
    return calls(lambda: generate(analysed, target, {}, Report()))


def compile_shared(size: int) -> int:
    """Return the number of calls that generate a file for GitLab of *size* stages, most of which share variables."""
    stages = "".join(
        f"      - {{ name: s{number}, script: [make], env: {{ A: a{number % 3 > 0}, B: b{number % 7 > 0} }} }}\n"
        for number in range(size)
    )
    return compile_to("gitlab", size, f"pipelines:\n  p:\n    stages:\n{stages}")


def compile_matrices(size: int) -> int:
    """Return the number of calls that generate a file for GitLab of *size* stages, each a matrix."""
    stages = "".join(
        f"      - {{ name: s{number}, script: 'make ${{matrix.a}}', matrix: {{ a: [x{number}, y{number}] }} }}\n"
        for number in range(size)
    )
    return compile_to("gitlab", size, f"pipelines:\n  p:\n    stages:\n{stages}")


def share_with_few(size: int) -> int:
    """Return the number of lines that look for the keys which *size* jobs share: each variable is in two of them."""
    jobs = tuple(
        replace(
            EMPTY_JOB,
            name=f"s{number}",
            variables=(VariableEntry("A", f"a{number // 2}"), VariableEntry("B", f"b{(number + 1) // 2}")),
        )
        for number in range(size)
    )
    document = Document(
        stages=("s",), settings=Workflow(), workflow=(), tags=(), id_tokens=(), variables=(), hidden=(), jobs=jobs
    )
    return lines(lambda: with_shared_keys(document, TemplateNames({})))


def simulate_queues(size: int) -> int:
    """Return the number of calls that simulate *size* stages of two queues, each with half of three machines."""
    starts = Starts(tuple(float(number) for number in range(size // 2)))
    simulated = fleet([load(name, starts, FixedTime(60.0)) for name in "ab"], 3, 1, ("gang",), ("proportion",))
    return calls(lambda: FleetSimulation(simulated).run())


def preempt_for(size: int) -> int:
    """Return the number of calls that look for stages to stop for *size* loads, while as many run and none may stop."""
    session, _ = open_session(
        [SchedulerNode("m", {"slots": float(size)}, (), 0)],
        Scheduling((), (("priority", "gang"),)),
        patience=1000,
        gates={},
        possible=None,
    )
    session.open_job_queue(JobQueue(name="q", order=0, priority=0))
    for number in range(2 * size):
        gang = Gang(name=f"g{number}", job_queue=session.job_queues["q"], is_alike=True)
        session.join(
            QueuedTask(name=gang.name, gang=gang, requests={"slots": 1.0}, order=number, is_preemptable=True),
        )
        session.admit(gang)
    allocate(session)
    return calls(lambda: preempt(session))


def simulate(size: int, *, services: bool) -> int:
    """Return the number of calls that simulate *size* stages with approvals, failures and a lock on two machines."""
    plain = load("a", Starts(tuple(float(number) for number in range(size))), FixedTime(60.0))
    times = stage_times(FixedTime(60.0), approval=30.0, failure=0.5)
    needs = {"needs_approval": True, "retries": 2, "locks": ("lock",), "services": ({},) if services else ()}
    stage = replace(plain.workflow.stages[0], times=times, **needs)
    simulated = fleet([replace(plain, workflow=replace(plain.workflow, stages=(stage,)))], 2, 1)
    return calls(lambda: FleetSimulation(simulated).run())


class _Results(Struct):
    """The results of an earlier run of all stages, or of none."""

    are_known: bool

    def has_result(self, _task: Task, _inputs: Sequence[TaskId], _ended: Collection[TaskId]) -> bool:
        return self.are_known

    def has_keys(self, _task: TaskId) -> bool:
        return self.are_known


def run_jobs(size: int) -> int:
    """Return the number of lines that find the order of *size* jobs of a file for GitLab in ten stages, in a run."""
    jobs = "".join(f"j{number}: {{ stage: s{number % 10}, script: [make] }}\n" for number in range(size))
    file = SourceFile(".gitlab-ci.yml", f"stages: [{', '.join(f's{number}' for number in range(10))}]\n{jobs}")
    accounting, report = Accounting(), Report()
    source = resolve(read_files(file, Roots(Path()), accounting, report), accounting, report)
    pipeline = runnable(source, has_helpers=False)
    started = pipeline.started(Facts(variables={}))
    assert len(started) == size
    return lines(lambda: run(pipeline, started, {}))


def compile_with_condition(size: int, alternatives: int) -> int:
    """Return the number of calls that compile *size* stages with one condition of so many *alternatives*."""
    condition = ", ".join(f"{{ branch: b{number}, env: {{ V: v{number} }} }}" for number in range(alternatives))
    stages = "".join(f"      - {{ name: s{number}, script: [make] }}\n" for number in range(size))
    pipeline = f"    defaults: {{ when: {{ any: [{condition}] }} }}\n    stages:\n{stages}"
    file = SourceFile("pipegen.yaml", f"pipelines:\n  p:\n{pipeline}")
    target = registry.load("gitlab")
    return calls(lambda: generate(analyse(file, (), Report(), {}), target, {}, Report()))


def choose(size: int, *, are_known: bool) -> int:
    """Return the number of calls that decide which stages of a chain of *size* the last one needs.

    If results of an earlier run *are_known*, it needs none; if not, all stages run.
    """
    stages = "".join(
        f"      - {{ name: s{number}, script: [make], artifacts: [s{number}], files_from: [{before}] }}\n"
        for number, before in ((number, f"s{number - 1}" if number else "") for number in range(size))
    )
    file = SourceFile("pipegen.yaml", f"pipelines:\n  p:\n    stages:\n{stages}")
    (plan,) = analyse(file, (), Report(), {}).plans
    run = pipeline_run(plan, {})

    def decide() -> None:
        results = cast("Results", _Results(are_known))
        demand = RequiredResults(results, [run], [run.tasks[-1].id], ())
        for task in run.tasks[:-1]:
            assert demand.needs(task) is not are_known
            demand.notify(Ready(0.0, task.id))
            if are_known:
                demand.notify(Skipped(0.0, task.id, Reason.UNNEEDED))
            else:
                attempt = Attempt(task, 1, "machine")
                demand.notify(Started(0.0, attempt))
                demand.notify(Ended(0.0, attempt, Outcome(result=AttemptResult.SUCCESS), is_final=True))
        assert demand.needs(run.tasks[-1])

    return calls(decide)


@pytest.mark.parametrize("are_known", [False, True])
def test_the_calls_that_decide_which_stages_are_needed_grow_linearly(are_known: bool) -> None:  # noqa: FBT001 - a parameter
    """After a stage has ended or was left out, only the stages that read it are examined again."""
    choose(2, are_known=are_known)  # the work that is done once in a process

    assert choose(1_000, are_known=are_known) / choose(100, are_known=are_known) <= 11


@pytest.mark.slow
@pytest.mark.parametrize(
    "count",
    [
        *(check, check_patterns, compile_shared, compile_matrices),
        *(lambda size: compile_to("gitlab", size), lambda size: compile_to("jenkins", size)),
    ],
    ids=["check", "patterns", "gitlab with shared variables", "gitlab with matrices", "gitlab", "jenkins"],
)
def test_the_number_of_calls_grows_linearly(count: Callable[[int], int]) -> None:
    """Ten times the stages require at most eleven times the calls."""
    count(2)  # work that is done once per process is done here

    assert count(LARGE) / count(SMALL) <= 11


@pytest.mark.slow
@pytest.mark.parametrize("chosen", [False, True])
def test_the_lines_that_check_files_grow_linearly(chosen: bool) -> None:  # noqa: FBT001 - a parameter
    """Ten times the stages execute at most eleven times the lines."""
    check_files(2, chosen=chosen)  # the work that is done once in a process

    assert check_files(1_000, chosen=chosen) / check_files(100, chosen=chosen) <= 11


@pytest.mark.slow
def test_the_lines_that_look_for_shared_keys_grow_linearly() -> None:
    """Most jobs share no keys with a given one."""
    assert share_with_few(4_000) / share_with_few(1_000) <= 4.4


def test_the_lines_that_order_the_jobs_of_a_run_grow_linearly() -> None:
    """Jobs without needs have the order of their stage."""
    run_jobs(2)  # the work that is done once in a process

    assert run_jobs(800) / run_jobs(200) <= 4.4


def test_stages_with_one_condition_read_and_write_it_once() -> None:
    """Its length makes little difference for a further stage."""

    def further(alternatives: int) -> int:
        compile_with_condition(2, alternatives)  # the work that is done once in a process
        return compile_with_condition(100, alternatives) - compile_with_condition(50, alternatives)

    assert further(4) / further(2) <= 1.3


@pytest.mark.parametrize("services", [False, True])
def test_the_calls_of_an_overloaded_fleet_grow_linearly(services: bool) -> None:  # noqa: FBT001 - a parameter
    """Ten times the stages that wait for a lock after approvals and failures require at most twelve times the calls."""
    assert simulate(600, services=services) / simulate(60, services=services) <= 12


def test_the_calls_of_overloaded_queues_grow_linearly() -> None:
    """The scheduler looks at one stage of a queue that has its share, instead of at all that wait there."""
    assert simulate_queues(600) / simulate_queues(60) <= 12


def test_the_calls_that_look_for_stages_to_stop_grow_linearly() -> None:
    """The stages that run are listed once, not for each load that waits."""
    assert preempt_for(600) / preempt_for(60) <= 12
