"""The stages of a pipeline that a change affects."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pipegen.plan.changes.filters import evaluated, is_filtered, unfiltered
from pipegen.plan.changes.reads import needed
from pipegen.plan.model import NEVER, Condition, FilesChanged, Job, Plan
from pipegen.structs import Struct


class AffectedStages(Struct):
    """The stages of a plan to keep, in the order of the plan, each with the remainder of its condition."""

    conditions: dict[str, Condition | None]
    left_out: tuple[Job, ...]


def choose(plan: Plan, changed: Callable[[FilesChanged], bool], *, is_concerned: bool) -> AffectedStages:
    """Return the stages of *plan* to keep when files have *changed*.

    These are the stages whose path filters match and all stages after them; the stages that those need; and, of
    stages that no path filter affects, the ones whose outputs or files are read. If the pipeline as a whole
    *is_concerned*, all stages without a path filter are kept.
    """
    choice = _Choice(plan, changed, is_concerned=is_concerned)
    choice.spread()
    choice.gather()
    stages = choice.stages
    return AffectedStages(
        {job.stage: choice.condition(job) for job in plan.jobs if job.stage in stages},
        tuple(job for job in plan.jobs if job.stage not in stages),
    )


class _Choice:
    """The state of the selection in *plan*.

    *remaining* is the remainder of each condition; *filtered* are the stages with a path filter, *behind* the stages
    after one. Stages in *opened* are kept regardless of their own path filters.
    """

    def __init__(self, plan: Plan, changed: Callable[[FilesChanged], bool], *, is_concerned: bool) -> None:
        self.plan = plan
        self.is_concerned = is_concerned
        self.jobs = {job.stage: job for job in plan.jobs}
        self.remaining = {stage: evaluated(job.condition, changed) for stage, job in self.jobs.items()}
        self.filtered = {stage for stage, job in self.jobs.items() if is_filtered(job.condition)}
        self.behind: set[str] = set()
        self.stages: set[str] = set()
        self.opened: set[str] = set()

    def condition(self, job: Job) -> Condition | None:
        """Return the remainder of the condition of a *job* that is kept."""
        return unfiltered(job.condition) if job.stage in self.opened else self.remaining[job.stage]

    def spread(self) -> None:
        """Keep the stages whose path filters match, and all stages after them."""
        graph = self.plan.graph
        for stage in graph.topological():
            earlier = graph.predecessors(stage)
            if not self.filtered.isdisjoint(earlier) or not self.behind.isdisjoint(earlier):
                self.behind.add(stage)
            is_match = stage in self.filtered and self.remaining[stage] != NEVER
            if is_match or not self.stages.isdisjoint(earlier):
                self.stages.add(stage)
                if not is_match:
                    self.opened.add(stage)
        if self.is_concerned:
            # No filter of an earlier stage decides about these.
            self.stages |= {stage for stage in graph.nodes if stage not in self.filtered}

    def gather(self) -> None:
        """Keep the stages that kept stages need, and finally stages if any stage is kept."""
        if self.stages:
            finals = (job.stage for job in self.plan.jobs if job.is_final)
            self.stages.update(
                stage for stage in finals if stage not in self.filtered or self.remaining[stage] != NEVER
            )
        waiting = list(self.stages)
        while waiting:
            waiting.extend(self._keep_sources(self.jobs[waiting.pop()]))

    def _keep_sources(self, job: Job) -> Iterator[str]:
        """Keep the stages that *job* needs, and yield the ones whose state changes."""
        for stage in needed(job):
            # If the reader is kept regardless of its filter, so are the stages that it reads.
            is_opened = stage not in self.opened and (job.stage in self.opened or self.remaining[stage] == NEVER)
            if is_opened:
                self.opened.add(stage)
            if is_opened or stage not in self.stages:
                self.stages.add(stage)
                yield stage
        for stage in (*(output.stage for output in job.inputs), *job.files, *job.raw_files):
            if stage not in self.stages and stage not in self.filtered and stage not in self.behind:
                self.stages.add(stage)
                yield stage
