"""What becomes of stages: which may start, which never will, and what came of all.

These rules hold on every engine and in a run of our own. They know no clock and start nothing: they look at one moment
of a run and tell what follows from it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from enum import Enum

from pipegen.graph.execution import ExecutionGraph
from pipegen.structs import Struct, field


class Status(Enum):
    """What came of a stage, or of a pipeline, as finally stages read it."""

    SUCCESS = "success"
    FAILED = "failed"
    SKIPPED = "skipped"
    UNKNOWN = "unknown"


class State(Enum):
    """Where a stage is; one in no state has not started."""

    RUNNING = "running"
    SUCCESS = "success"
    # Its tries are used up.
    FAILED = "failed"


class Reason(Enum):
    """Why a stage never starts."""

    STOPPED = "nothing new starts any more"
    CONDITION = "its condition is false"
    UNNEEDED = "its result is not needed"
    BEFORE = "a stage before it did not succeed"
    REFUSED = "somebody said no"


# What comes after a stage that never starts for one of these runs as if it had succeeded.
HOLDS_NOTHING_UP = frozenset({Reason.CONDITION, Reason.UNNEEDED})


class RunMoment(Struct, kw_only=True):
    """A moment of a run.

    Attributes:
        graph: the stages in their order, without finally stages.
        final: the finally stages.
        states: where the stages that have started are.
        unwanted: the stages whose condition is false, as far as that is known.
        refused: the stages that wait for an approval and do not get it.
        allowed: the stages that have failed, or would, and may.
        is_fail_fast: whether a failure keeps others from starting.
        is_stopped: whether somebody has asked that nothing new starts but finally stages.
        is_killed: whether not even those start any more.
    """

    graph: ExecutionGraph
    final: tuple[str, ...] = ()
    states: Mapping[str, State] = field(default_factory=dict)
    unwanted: Collection[str] = ()
    refused: Collection[str] = ()
    allowed: Collection[str] = ()
    is_fail_fast: bool = False
    is_stopped: bool = False
    is_killed: bool = False


def skipped(moment: RunMoment) -> dict[str, Reason]:
    """Return the stages of the graph that never start, each with the reason, in an order that the arcs allow.

    A stage whose condition is false holds nothing up, as if it had succeeded. One that waits for a stage that still may
    start is not among them, although it may be later.
    """
    found: dict[str, Reason] = {}
    is_stopped = moment.is_stopped or (moment.is_fail_fast and any(_failures(moment, moment.graph.nodes)))
    for stage in moment.graph.topological():
        if stage in moment.states:
            continue
        before = moment.graph.predecessors(stage)
        if stage in moment.refused:
            found[stage] = Reason.REFUSED
        elif is_stopped:
            found[stage] = Reason.STOPPED
        elif any(_is_lost(one, moment, found) for one in before):
            found[stage] = Reason.BEFORE
        elif stage in moment.unwanted and all(_is_over(one, moment, found) for one in before):
            found[stage] = Reason.CONDITION
    return found


def ready(moment: RunMoment) -> tuple[str, ...]:
    """Return the stages of the graph that may start now: nothing before them is left to wait for."""
    never = skipped(moment)
    return tuple(
        stage
        for stage in moment.graph.nodes
        if stage not in moment.states
        and stage not in never
        and all(_is_over(one, moment, never) for one in moment.graph.predecessors(stage))
    )


def is_over(moment: RunMoment) -> bool:
    """Return whether no stage of the graph runs or will."""
    never = skipped(moment)
    return all(_is_over(stage, moment, never) for stage in moment.graph.nodes)


def final_ready(moment: RunMoment) -> tuple[str, ...]:
    """Return the finally stages that may start now: all of them, whatever happened, once the others are over."""
    if moment.is_killed or not is_over(moment):
        return ()
    return tuple(stage for stage in moment.final if stage not in moment.states and stage not in moment.unwanted)


def status(stage: str, moment: RunMoment) -> Status:
    """Return what came of *stage*, as finally stages are told; UNKNOWN while that is open."""
    match moment.states.get(stage):
        case State.SUCCESS:
            return Status.SUCCESS
        case State.FAILED:
            return Status.FAILED
        case None if stage in skipped(moment):
            return Status.SKIPPED
    return Status.UNKNOWN


def status_of_all(moment: RunMoment) -> Status:
    """Return what came of the stages of the graph, as finally stages are told; UNKNOWN while they are not over."""
    if not is_over(moment):
        return Status.UNKNOWN
    is_bad = any(_failures(moment, moment.graph.nodes)) or _is_cut_short(moment)
    return Status.FAILED if is_bad else Status.SUCCESS


def result(moment: RunMoment) -> Status:
    """Return what came of the run, finally stages and all; UNKNOWN while something is left to do."""
    final = {stage: moment.states.get(stage) for stage in moment.final if stage not in moment.unwanted}
    left = (State.RUNNING,) if moment.is_killed else (State.RUNNING, None)
    if not is_over(moment) or any(state in left for state in final.values()):
        return Status.UNKNOWN
    is_bad = any(_failures(moment, final)) or None in final.values()
    return Status.FAILED if is_bad else status_of_all(moment)


def _is_cut_short(moment: RunMoment) -> bool:
    """Return whether a stage that should have run did not because somebody asked for that."""
    never = skipped(moment) if moment.is_stopped else {}
    return any(why is Reason.STOPPED and stage not in moment.unwanted for stage, why in never.items())


def _failures(moment: RunMoment, stages: Collection[str]) -> Iterator[str]:
    """Yield those of *stages* that have failed and may not; what somebody said no to has failed too."""
    for one in stages:
        if one in moment.refused or (moment.states.get(one) is State.FAILED and one not in moment.allowed):
            yield one


def _is_lost(stage: str, moment: RunMoment, never: Mapping[str, Reason]) -> bool:
    """Return whether what comes after *stage* does not run."""
    if stage in never:
        return never[stage] not in HOLDS_NOTHING_UP
    return moment.states.get(stage) is State.FAILED and stage not in moment.allowed


def _is_over(stage: str, moment: RunMoment, never: Mapping[str, Reason]) -> bool:
    return stage in never or moment.states.get(stage) in (State.SUCCESS, State.FAILED)
