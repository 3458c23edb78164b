"""What a run is made of: its stages as tasks, what each takes while it runs, and what came of a try."""

from __future__ import annotations

from enum import Enum
from typing import ClassVar

from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.model import Failure, Job, Plan
from pipegen.run.outcome import Status
from pipegen.structs import SpannedStruct, Struct


class TaskId(Struct, order=True):
    """A stage of a pipeline, by the two names."""

    pipeline: str
    stage: str


class Demand(Struct, kw_only=True):
    """What a task takes while it runs: all of it, or it does not start.

    Attributes:
        slots: how many of a machine's slots.
        cpu: thousandths of a processor; 0 does not matter.
        memory: bytes; 0 does not matter.
        labels: what a machine must have, all of them.
        locks: names that one task at a time may hold, over all runs.
    """

    slots: int = 1
    cpu: int = 0
    memory: int = 0
    labels: tuple[str, ...] = ()
    locks: tuple[str, ...] = ()


class RunMachine(Struct, kw_only=True):
    """A place where tasks run, and what it has; None is without bound."""

    name: str
    slots: int | None = 1
    cpu: int | None = None
    memory: int | None = None
    labels: tuple[str, ...] = ()


class Task(SpannedStruct, kw_only=True):
    """A stage in one run.

    Attributes:
        id: which stage.
        job: what it does.
        plan: the pipeline it belongs to.
        demand: what it takes.
        remaining: seconds from its start to the end of the longest path behind it, itself included, as far as
            durations are known.
        order: its place among all tasks as the user wrote them, from 0.
    """

    UNCOMPARED: ClassVar = ("job", "plan")

    id: TaskId
    job: Job
    plan: Plan
    demand: Demand
    remaining: float = 0.0
    order: int = 0


class PipelineRun(Struct, kw_only=True):
    """A pipeline in one run.

    Attributes:
        name: the pipeline's.
        graph: the order of its stages, without finally stages.
        tasks: all its stages in the user's order, finally stages too.
        is_fail_fast: whether a failure keeps others from starting.
    """

    name: str
    graph: ExecutionGraph
    tasks: tuple[Task, ...]
    is_fail_fast: bool = False


class Attempt(Struct):
    """One try of a task on a machine; *number* counts from 1.

    *statuses* is what came of the stages (of the pipeline: "") whose status a finally stage reads.
    """

    task: Task
    number: int
    machine: str
    statuses: tuple[tuple[str, Status], ...] = ()


class AttemptResult(Enum):
    """How a try ended."""

    SUCCESS = "success"
    FAILED = "failed"
    # The run was stopped from outside while it ran.
    CANCELLED = "cancelled"
    # Nothing ran: an earlier result was taken in its place.
    REUSED = "reused"


class Outcome(Struct, kw_only=True):
    """What came of a try.

    Attributes:
        ending: how it ended.
        failure: the kind of failure, where it failed.
        exit_code: that of the script, None where none ran to its end.
        reason: a few words for people, "" where *ending* says all.
        outputs: the values that it bound, by name; bytes as the script left them.
        is_waiting: whether its files, those of an earlier result, are put back only when a stage reads them.
    """

    ending: AttemptResult
    failure: Failure | None = None
    exit_code: int | None = None
    reason: str = ""
    outputs: tuple[tuple[str, bytes], ...] = ()
    is_waiting: bool = False

    def is_allowed(self, job: Job) -> bool:
        """Return whether it is a failure that *job* may have."""
        allowed = job.limits.allow_failure
        if allowed is None or self.ending is not AttemptResult.FAILED:
            return False
        return not allowed.exit_codes or self.exit_code in allowed.exit_codes
