"""A pipeline as a plan: its jobs, their graph, and what holds for all of them."""

from __future__ import annotations

from enum import Enum
from typing import ClassVar

from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.model.conditions import Condition
from pipegen.plan.model.inputs import Input
from pipegen.plan.model.jobs import Job
from pipegen.source.text import Span
from pipegen.structs import SpannedStruct, Struct


class FetchOptions(Struct, kw_only=True):
    """How the repository is fetched; `Plan.fetch` is None when the user says nothing about it.

    *depth* None is the whole history.
    """

    depth: int | None
    submodules: bool
    tags: bool


class Workspace(Enum):
    """What stages see of each other's files."""

    ISOLATED = "isolated"
    SHARED = "shared"


class Schedule(SpannedStruct):
    """When a pipeline runs by the clock; *timezone* None is UTC."""

    cron: str
    timezone: str | None
    span: Span


class Concurrency(SpannedStruct):
    """What happens when runs meet; *group* None are the runs of one branch."""

    group: str | None
    cancels: bool
    span: Span


class Selection(Enum):
    """When a pipeline of a file runs."""

    # With a condition: when that holds, or when PIPEGEN_PIPELINE names it.
    ALWAYS = "always"
    # Only when PIPEGEN_PIPELINE names it.
    ON_DEMAND = "on-demand"


class Plan(SpannedStruct, kw_only=True):
    """One pipeline: its jobs in the user's order, and the graph of its stages.

    *graph* and *frames* are without finally stages, which stand in *jobs* alone. *folder* is
    the folder of the config, relative to the root of the repository; "" is the root.
    *inputs* are the parameters of the file whose values only a run knows, whether or not the plan reads them.
    """

    UNCOMPARED: ClassVar = ("span", "workspace_span", "fail_fast_span")

    name: str
    span: Span
    graph: ExecutionGraph
    frames: tuple[tuple[str, ...], ...]
    jobs: tuple[Job, ...]
    fetch: FetchOptions | None
    workspace: Workspace
    workspace_span: Span | None
    selection: Selection
    folder: str
    condition: Condition | None = None
    inputs: tuple[Input, ...] = ()
    schedules: tuple[Schedule, ...] = ()
    concurrency: Concurrency | None = None
    is_fail_fast: bool = False
    fail_fast_span: Span | None = None

    def job(self, stage: str) -> Job:
        """Return the job of *stage*."""
        return next(job for job in self.jobs if job.stage == stage)
