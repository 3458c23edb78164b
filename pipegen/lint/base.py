"""What a rule looks at, and what a rule is."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Protocol

from pipegen.config.model import PipelineConfig, StageConfig
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Job, Plan
from pipegen.source.text import SourceFile
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.structs import Struct


class CheckedStage(Struct):
    """A stage as the user wrote it, and the job that it is in *plan*; each combination of a matrix is one."""

    stage: StageConfig
    job: Job
    plan: Plan


class Checked(Struct, dict=True, gc=True):
    """A config in which nothing is wrong: its *pipelines* with their *plans*, and the settings of targets.

    *targets* are the names of those that files are generated for.

    A text that several stages share, by a template or an alias, is right where it is right for one of them.
    """

    file: SourceFile
    pipelines: tuple[PipelineConfig, ...]
    plans: tuple[Plan, ...]
    settings: Mapping[str, TreeMapping]
    targets: tuple[str, ...]

    def work(self) -> tuple[CheckedStage, ...]:
        """Return each job with its stage, in the user's order."""
        return self._work

    @cached_property
    def _work(self) -> tuple[CheckedStage, ...]:
        found: list[CheckedStage] = []
        for pipeline, plan in zip(self.pipelines, self.plans, strict=True):
            stages = {stage.name.value: stage for stage in reversed(pipeline.stages)}
            # The job that stands for nothing to do has no stage.
            found += [CheckedStage(stages[job.stage], job, plan) for job in plan.jobs if job.stage in stages]
        return tuple(found)

    def files(self) -> tuple[SourceFile, ...]:
        """Return the file, and those that its stages, or parts of them, come from."""
        bodies = (work.stage.body for work in self.work())
        spans = (entry.key.span for body in bodies if body is not None for entry in body.entries)
        return tuple({file.path: file for file in (self.file, *(span.file for span in spans))}.values())


class LintRule(Protocol):
    """Reports one kind of what is likely not meant; a page of `diagnostics/pages` explains it."""

    def __call__(self, checked: Checked, report: Report, /) -> None:
        """Report what *checked* holds of it."""
