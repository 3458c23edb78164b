"""The model of a run: tasks, their resource demands, attempts and outcomes."""

from __future__ import annotations

from enum import Enum
from typing import ClassVar

from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.model import Failure, Job, Plan
from pipegen.run.status import Status
from pipegen.structs import SpannedStruct, Struct


class TaskId(Struct, order=True):
    """The names of a pipeline and its stage."""

    pipeline: str
    stage: str

    def display_name(self, *, several: bool) -> str:
        """Return the name of the stage, with its pipeline if there are *several*."""
        return f"{self.pipeline}: {self.stage}" if several else self.stage


class Demand(Struct, kw_only=True):
    """The resources that a task takes while it runs.

    Attributes:
        slots: the number of slots of the machine.
        cpu: thousandths of a processor; 0 is no requirement.
        memory: bytes; 0 is no requirement.
        labels: labels that the machine must have.
        locks: names of locks, each held by one task at a time over all runs.
    """

    slots: int = 1
    cpu: int = 0
    memory: int = 0
    labels: tuple[str, ...] = ()
    locks: tuple[str, ...] = ()


class RunMachine(Struct, kw_only=True):
    """A machine and its resources; None is unlimited."""

    name: str
    slots: int | None = 1
    cpu: int | None = None
    memory: int | None = None
    labels: tuple[str, ...] = ()


class Task(SpannedStruct, kw_only=True):
    """A stage in one run.

    Attributes:
        id: the names of pipeline and stage.
        job: the job to run.
        plan: the plan of its pipeline.
        demand: the resources that it takes.
        remaining: seconds from its start to the end of the longest path from it, as far as durations are known.
        order: its index among all tasks in the user's order.
        priority: higher starts earlier, also than those of other pipelines.
    """

    UNCOMPARED: ClassVar = ("job", "plan")

    id: TaskId
    job: Job
    plan: Plan
    demand: Demand
    remaining: float = 0.0
    order: int = 0
    priority: int = 0


class PipelineRun(Struct, kw_only=True):
    """A pipeline in one run.

    Attributes:
        name: the name of the pipeline.
        graph: the order of its stages, without finally stages.
        tasks: all stages in the user's order, including finally stages.
        is_fail_fast: whether no stage starts after a failure.
        timeout: the seconds after which it fails and its stages are stopped, apart from finally stages.
    """

    name: str
    graph: ExecutionGraph
    tasks: tuple[Task, ...]
    is_fail_fast: bool
    timeout: int | None


class Attempt(Struct):
    """An attempt to run a task on a machine; *number* counts from 1.

    *statuses* are those that a finally stage reads, by stage; "" is the pipeline.
    """

    task: Task
    number: int
    machine: str
    statuses: tuple[tuple[str, Status], ...] = ()


class AttemptResult(Enum):
    """The result of an attempt."""

    SUCCESS = "success"
    FAILED = "failed"
    # The run was stopped during the attempt.
    CANCELLED = "cancelled"
    # Nothing ran: the result of an earlier run was reused.
    REUSED = "reused"


class Outcome(Struct, kw_only=True):
    """The outcome of an attempt.

    Attributes:
        result: how it ended.
        failure: the kind of failure, if it failed.
        exit_code: the exit code of the script, None if the script did not end.
        reason: an explanation, "" if *result* says everything; of a cancelled attempt, the command that was stopped.
        outputs: the bound values by name, as the script wrote them.
        is_waiting: whether the files of a reused result are restored only when a stage reads them.
    """

    result: AttemptResult
    failure: Failure | None = None
    exit_code: int | None = None
    reason: str = ""
    outputs: tuple[tuple[str, bytes], ...] = ()
    is_waiting: bool = False

    def is_allowed(self, job: Job) -> bool:
        """Return whether it is a failure that *job* allows."""
        allowed = job.limits.allow_failure
        if allowed is None or self.result is not AttemptResult.FAILED:
            return False
        return not allowed.exit_codes or self.exit_code in allowed.exit_codes
