"""The input of a rule, and its interface."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Protocol

from pipegen.config.model import PipelineConfig, StageConfig
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Condition, Job, Plan
from pipegen.source.text import SourceFile
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.structs import Struct


class CheckedStage(Struct):
    """A stage in the config, and its job in *plan*; each combination of a matrix is a checked stage."""

    config: StageConfig
    job: Job
    plan: Plan

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The conditions of its pipeline and its own, those that it has."""
        return tuple([condition for condition in (self.plan.condition, self.job.condition) if condition is not None])


class CheckedConfig(Struct, dict=True, gc=True):
    """A config without errors: its *pipelines* with their *plans*, and the settings of targets.

    *files* are *file* and the files that it includes. *targets* are the names of the targets for which files are
    generated.

    If several stages share a text, by a template or an alias, a rule reports it only if it is wrong in all of them.
    """

    file: SourceFile
    files: tuple[SourceFile, ...]
    pipelines: tuple[PipelineConfig, ...]
    plans: tuple[Plan, ...]
    settings: Mapping[str, TreeMapping]
    targets: tuple[str, ...]

    def stages(self) -> tuple[CheckedStage, ...]:
        """Return each stage with its job, in the user's order."""
        return self._stages

    def stage(self, plan: Plan, name: str) -> CheckedStage:
        """Return the stage *name* of *plan*."""
        return self._by_name[id(plan), name]

    @cached_property
    def _by_name(self) -> Mapping[tuple[int, str], CheckedStage]:
        return {(id(stage.plan), stage.job.stage): stage for stage in self._stages}

    @cached_property
    def _stages(self) -> tuple[CheckedStage, ...]:
        checked: list[CheckedStage] = []
        pipelines = {pipeline.name.value: pipeline for pipeline in self.pipelines}
        # Narrowed to changes, a config has fewer plans than pipelines, and may have an empty one, without stages.
        for plan in self.plans:
            stages = pipelines[plan.name].stages if plan.name in pipelines else ()
            configs = {config.name.value: config for config in reversed(stages)}
            checked += [CheckedStage(configs[job.stage], job, plan) for job in plan.jobs if job.stage in configs]
        return tuple(checked)


class LintRule(Protocol):
    """Reports one kind of probable mistake, which a page in `diagnostics/pages` explains."""

    def __call__(self, config: CheckedConfig, report: Report, /) -> None:
        """Report the mistakes of this kind in *config*."""
