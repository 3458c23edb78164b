"""A pipeline as a plan: its jobs, their graph, and settings for all of them."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import ClassVar

from pipegen.graph.blocks import is_layered
from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.model.checkouts import FetchOptions
from pipegen.plan.model.conditions import Condition
from pipegen.plan.model.inputs import Input
from pipegen.plan.model.jobs import Job
from pipegen.plan.model.limits import Timeout
from pipegen.source.text import Span
from pipegen.structs import SpannedStruct


class Workspace(Enum):
    """Whether stages share a workspace."""

    ISOLATED = "isolated"
    SHARED = "shared"


class Schedule(SpannedStruct):
    """A schedule of a pipeline; *timezone* None is UTC."""

    cron: str
    timezone: str | None
    span: Span

    @property
    def is_hashed(self) -> bool:
        """Whether it contains `H`, a number that Jenkins chooses for each job."""
        return "H" in self.cron


class Concurrency(SpannedStruct):
    """How concurrent runs of a *group* are handled; None is the group of runs of one branch."""

    group: str | None
    cancels: bool
    span: Span


class Selection(Enum):
    """When a pipeline of a file runs."""

    # If it has a condition: when that holds, or when PIPEGEN_PIPELINE names it, which decides among several.
    ALWAYS = "always"
    # Only when PIPEGEN_PIPELINE names it.
    ON_DEMAND = "on-demand"


class Plan(SpannedStruct, kw_only=True):
    """One pipeline: its jobs in the user's order, and the graph of its stages.

    *graph* and *frames* exclude finally stages, which are only in *jobs*. *folder* is
    the folder of the config, relative to the root of the repository; "" is the root.
    *inputs* are the parameters of the file that are set at run time, whether or not the plan reads them.
    *is_called* is whether another pipeline of the file runs it in place of a stage.
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
    is_called: bool = False
    condition: Condition | None = None
    inputs: tuple[Input, ...] = ()
    schedules: tuple[Schedule, ...] = ()
    concurrency: Concurrency | None = None
    timeout: Timeout | None = None
    is_fail_fast: bool = False
    fail_fast_span: Span | None = None

    @property
    def failure_stops_others(self) -> bool:
        """Whether `fail_fast` makes a difference where stages start as soon as they are ready.

        In layers, those that do not wait for a stage that fails have started with it.
        """
        return self.is_fail_fast and not is_layered(self.graph)

    def input(self, name: str) -> Input:
        """Return the input *name*."""
        return next(declared for declared in self.inputs if declared.name == name)

    def job(self, stage: str) -> Job:
        """Return the job of *stage*."""
        return next(job for job in self.jobs if job.stage == stage)


def default_pipelines(plans: Iterable[Plan]) -> str:
    """Return the names of those of *plans* that run without a selection, for people; "none" if there are none."""
    usual = [plan for plan in plans if plan.selection is Selection.ALWAYS]
    always = ", ".join(plan.name for plan in usual if plan.condition is None)
    on_condition = [plan.name for plan in usual if plan.condition is not None]
    conditional = f"{', '.join(on_condition)}, {'each ' if len(on_condition) > 1 else ''}on its condition"
    return ", and ".join(filter(None, (always, conditional if on_condition else ""))) or "none"
