# ruff: noqa: SLF001 - the model reads the state that it checks
"""The rules that decide which stages start, which are skipped, and the status of the pipeline.

A reference model for `pipegen.run.progress` and the engine: pure functions of the state of a run, which compute each
answer from scratch.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from pipegen.graph.execution import ExecutionGraph
from pipegen.run.engine import Engine
from pipegen.run.progress import Progress
from pipegen.run.status import Reason, Status
from pipegen.structs import Struct, field

# The successors of a stage that is skipped for one of these reasons run as if it had succeeded.
HOLDS_NOTHING_UP = frozenset({Reason.CONDITION, Reason.UNNEEDED})


class RunMoment(Struct, kw_only=True):
    """The state of a run at one moment.

    Attributes:
        graph: the order of the stages, without finally stages.
        final: the finally stages.
        states: the states of the stages that have started.
        unwanted: the stages whose condition is known to be false.
        refused: the stages whose approval was refused.
        allowed: the stages that are allowed to fail.
        is_fail_fast: whether no stage starts after a failure.
        is_stopped: whether only finally stages may still start.
        is_killed: whether no stage may start.
    """

    graph: ExecutionGraph
    final: tuple[str, ...] = ()
    states: Mapping[str, Status] = field(default_factory=dict)
    unwanted: Collection[str] = ()
    refused: Collection[str] = ()
    allowed: Collection[str] = ()
    is_fail_fast: bool = False
    is_stopped: bool = False
    is_killed: bool = False


def skipped(moment: RunMoment) -> dict[str, Reason]:
    """Return the stages of the graph that never start, with the reasons, in topological order.

    The successors of a stage whose condition is false run as if it had succeeded. A stage that waits for one that may
    still start is not included, although it may be included later.
    """
    reasons: dict[str, Reason] = {}
    is_stopped = moment.is_stopped or (moment.is_fail_fast and any(_failures(moment, moment.graph.nodes)))
    for stage in moment.graph.topological():
        if stage in moment.states:
            continue
        predecessors = moment.graph.predecessors(stage)
        if stage in moment.refused:
            reasons[stage] = Reason.REFUSED
        elif is_stopped:
            reasons[stage] = Reason.STOPPED
        elif any(_is_lost(earlier, moment, reasons) for earlier in predecessors):
            reasons[stage] = Reason.BEFORE
        elif stage in moment.unwanted and all(_is_over(earlier, moment, reasons) for earlier in predecessors):
            reasons[stage] = Reason.CONDITION
    return reasons


def ready(moment: RunMoment) -> tuple[str, ...]:
    """Return the stages of the graph that may start now: their predecessors have ended."""
    never = skipped(moment)
    return tuple(
        stage
        for stage in moment.graph.nodes
        if stage not in moment.states
        and stage not in never
        and all(_is_over(earlier, moment, never) for earlier in moment.graph.predecessors(stage))
    )


def is_over(moment: RunMoment) -> bool:
    """Return whether no stage of the graph runs or will run."""
    never = skipped(moment)
    return all(_is_over(stage, moment, never) for stage in moment.graph.nodes)


def final_ready(moment: RunMoment) -> tuple[str, ...]:
    """Return the finally stages that may start now: all of them, once the other stages have ended."""
    if moment.is_killed or not is_over(moment):
        return ()
    return tuple(stage for stage in moment.final if stage not in moment.states and stage not in moment.unwanted)


def status(stage: str, moment: RunMoment) -> Status:
    """Return the status of *stage*, as finally stages read it; UNKNOWN until it has ended."""
    match moment.states.get(stage):
        case Status.SUCCESS:
            return Status.SUCCESS
        case Status.FAILED:
            return Status.FAILED
        case None if stage in skipped(moment):
            return Status.SKIPPED
    return Status.UNKNOWN


def status_of_all(moment: RunMoment) -> Status:
    """Return the status of the graph, as finally stages read it; UNKNOWN until its stages have ended."""
    if not is_over(moment):
        return Status.UNKNOWN
    is_bad = any(_failures(moment, moment.graph.nodes)) or _is_cut_short(moment)
    return Status.FAILED if is_bad else Status.SUCCESS


def result(moment: RunMoment) -> Status:
    """Return the status of the run including finally stages; UNKNOWN until all have ended."""
    final = {stage: moment.states.get(stage) for stage in moment.final if stage not in moment.unwanted}
    unfinished = (Status.UNKNOWN,) if moment.is_killed else (Status.UNKNOWN, None)
    if not is_over(moment) or any(state in unfinished for state in final.values()):
        return Status.UNKNOWN
    is_bad = any(_failures(moment, final)) or None in final.values()
    return Status.FAILED if is_bad else status_of_all(moment)


def _is_cut_short(moment: RunMoment) -> bool:
    """Return whether a stage was skipped because the run was stopped."""
    never = skipped(moment) if moment.is_stopped else {}
    return any(why is Reason.STOPPED and stage not in moment.unwanted for stage, why in never.items())


def _failures(moment: RunMoment, stages: Collection[str]) -> Iterator[str]:
    """Yield the stages in *stages* that failed and are not allowed to; a rejected approval is a failure."""
    for stage in stages:
        if stage in moment.refused or (moment.states.get(stage) is Status.FAILED and stage not in moment.allowed):
            yield stage


def _is_lost(stage: str, moment: RunMoment, never: Mapping[str, Reason]) -> bool:
    """Return whether the successors of *stage* do not run."""
    if stage in never:
        return never[stage] not in HOLDS_NOTHING_UP
    return moment.states.get(stage) is Status.FAILED and stage not in moment.allowed


def _is_over(stage: str, moment: RunMoment, never: Mapping[str, Reason]) -> bool:
    return stage in never or moment.states.get(stage) in (Status.SUCCESS, Status.FAILED)


def moment_of(progress: Progress, allowed: Collection[str]) -> RunMoment:
    """Return the current state of the run in *progress*, whose stages *allowed* may fail."""
    lost = progress._skipped
    return RunMoment(
        graph=progress._graph,
        final=tuple(progress._final),
        states=dict(progress._statuses),
        unwanted=frozenset(stage for stage, reason in lost.items() if reason in HOLDS_NOTHING_UP),
        refused=frozenset(stage for stage, reason in lost.items() if reason is Reason.REFUSED),
        allowed=frozenset(allowed),
        is_fail_fast=progress._is_fail_fast,
        is_stopped=progress._is_stopped,
        is_killed=progress._is_killed,
    )


def moment_in(engine: Engine, pipeline: str) -> RunMoment:
    """Return the current state of *pipeline* in *engine*."""
    runs = engine._pipelines[pipeline].task_runs
    outcomes = {stage: engine._ended.get(run.task.id, run.outcome) for stage, run in runs.items()}
    allowed = {stage for stage, outcome in outcomes.items() if outcome and outcome.is_allowed(runs[stage].task.job)}
    return moment_of(engine._pipelines[pipeline].progress, allowed)
