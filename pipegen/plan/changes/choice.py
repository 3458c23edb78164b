"""Which stages of a pipeline a change concerns."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pipegen.plan.changes.filters import answered, is_filtered, unfiltered
from pipegen.plan.changes.reads import needed
from pipegen.plan.model import NEVER, Condition, FilesChanged, Job, Plan
from pipegen.structs import Struct


class AffectedStages(Struct):
    """The stages of a plan that are kept, each with what is left of its condition, in the order of the plan."""

    conditions: dict[str, Condition | None]
    left_out: tuple[Job, ...]


def choose(plan: Plan, changed: Callable[[FilesChanged], bool], *, is_concerned: bool) -> AffectedStages:
    """Return which stages of *plan* to keep where files have *changed*.

    Kept are the stages whose path filters match and all that come after them; what these cannot do without; and of
    stages that no path filter says anything of, those whose outputs or files are read. Where the pipeline as a whole
    *is_concerned*, all stages without a path filter are kept.
    """
    choosing = _Choosing(plan, changed, is_concerned=is_concerned)
    choosing.spread()
    choosing.gather()
    kept = choosing.kept
    return AffectedStages(
        {job.stage: choosing.condition(job) for job in plan.jobs if job.stage in kept},
        tuple(job for job in plan.jobs if job.stage not in kept),
    )


class _Choosing:
    """What is known of the stages of *plan* by now.

    *left* is what the changed files leave of each condition; *filtered* are the stages with a path filter, *behind*
    those that come after one. *opened* are kept whatever their own path filters say.
    """

    def __init__(self, plan: Plan, changed: Callable[[FilesChanged], bool], *, is_concerned: bool) -> None:
        self.plan = plan
        self.is_concerned = is_concerned
        self.jobs = {job.stage: job for job in plan.jobs}
        self.left = {stage: answered(job.condition, changed) for stage, job in self.jobs.items()}
        self.filtered = {stage for stage, job in self.jobs.items() if is_filtered(job.condition)}
        self.behind: set[str] = set()
        self.kept: set[str] = set()
        self.opened: set[str] = set()

    def condition(self, job: Job) -> Condition | None:
        """Return what is left of the condition of a *job* that is kept."""
        return unfiltered(job.condition) if job.stage in self.opened else self.left[job.stage]

    def spread(self) -> None:
        """Keep the stages whose path filters match, and what comes after them."""
        graph = self.plan.graph
        for stage in graph.topological():
            earlier = graph.predecessors(stage)
            if not self.filtered.isdisjoint(earlier) or not self.behind.isdisjoint(earlier):
                self.behind.add(stage)
            is_match = stage in self.filtered and self.left[stage] != NEVER
            if is_match or not self.kept.isdisjoint(earlier):
                self.kept.add(stage)
                if not is_match:
                    self.opened.add(stage)
        if self.is_concerned:
            # Of these nothing is said by what comes before them.
            self.kept |= {stage for stage in graph.nodes if stage not in self.filtered}

    def gather(self) -> None:
        """Keep what the stages that are kept need, and the finally stages where there are any to run after."""
        if self.kept:
            finals = (job.stage for job in self.plan.jobs if job.is_final)
            self.kept.update(stage for stage in finals if stage not in self.filtered or self.left[stage] != NEVER)
        waiting = list(self.kept)
        while waiting:
            waiting.extend(self._keep_sources(self.jobs[waiting.pop()]))

    def _keep_sources(self, job: Job) -> Iterator[str]:
        """Keep what *job* needs, and yield the stages of which more is known now."""
        for stage in needed(job):
            # Where the filter of the reader does not count, that of what it reads must not either.
            is_opened = stage not in self.opened and (job.stage in self.opened or self.left[stage] == NEVER)
            if is_opened:
                self.opened.add(stage)
            if is_opened or stage not in self.kept:
                self.kept.add(stage)
                yield stage
        for stage in (*(output.stage for output in job.inputs), *job.files):
            if stage not in self.kept and stage not in self.filtered and stage not in self.behind:
                self.kept.add(stage)
                yield stage
