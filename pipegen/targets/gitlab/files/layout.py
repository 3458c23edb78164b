"""A pipeline before its jobs are put into files."""

from __future__ import annotations

from collections.abc import Container, Mapping

from pipegen.diagnostics.report import Report
from pipegen.plan.model import Job as PlanJob
from pipegen.structs import Struct, replace
from pipegen.targets.gitlab.jobs.drafts import DraftJob, in_host
from pipegen.targets.gitlab.jobs.shell_variables import in_child
from pipegen.targets.gitlab.jobs.triggers import Bridge
from pipegen.targets.gitlab.model import GitLabJob, RuleEntry
from pipegen.targets.gitlab.names import JobNames
from pipegen.targets.gitlab.needs.awaited import Place
from pipegen.targets.gitlab.pipelines import JobContext, PipelineJob
from pipegen.targets.gitlab.rules.build import PipelineCase, rules
from pipegen.targets.gitlab.rules.expressions import NO_DEFAULTS
from pipegen.targets.gitlab.rules.inputs import input_defaults


class PipelineLayout(Struct, kw_only=True):
    """A pipeline with its jobs before they are put into files: those of its *drafts* with all their needs.

    *places* are those of its stages, *names* the ones given before its own helpers got theirs.
    """

    pipeline: JobContext
    places: Mapping[str, Place]
    made: tuple[PipelineJob, ...]
    drafts: tuple[DraftJob, ...]
    names: JobNames
    report: Report

    def jobs(self) -> list[GitLabJob]:
        """Return the jobs alone."""
        return [one.job for one in self.made]

    def inside(self, stages: Container[str]) -> tuple[JobContext, tuple[PipelineJob, ...]]:
        """Return the pipeline as it is in a child, with the jobs of *stages*: whether it runs is decided there already.

        Those of others that take names take them here as well, so that the same names are left.
        """
        plan, host = self.pipeline.plan, in_child(self.pipeline.host)
        drafts = in_host(self.drafts, plan, host, self.pipeline.settings, self.report)
        bridges = [one.job for one in drafts if isinstance(one.trigger, Bridge)]
        defaults = input_defaults((plan,))
        pipeline = replace(
            self.pipeline,
            host=host,
            names=self.names.copy(),
            rules=(),
            bridge_rules=(),
            stage_rules={job.stage: _own_rules(job, self.report) for job in plan.jobs},
            trigger_rules={job.stage: _own_rules(job, self.report, defaults) for job in bridges},
        )
        wanted = [one for one in drafts if one.job.stage in stages or one.job.mail is not None]
        return pipeline, tuple(pipeline.made(wanted, pipeline.places(drafts)))


class ChildPart(Struct):
    """The jobs of a child; *bridge* names the job that starts it, *title* is for the name of its file."""

    title: str
    bridge: str
    jobs: tuple[GitLabJob, ...]


def _own_rules(job: PlanJob, report: Report, defaults: Mapping[str, str] = NO_DEFAULTS) -> tuple[RuleEntry, ...]:
    """Return when the stage *job* runs in a child, whose own source says nothing; *defaults* are those of a bridge."""
    return tuple(
        replace(rule, condition=rule.condition.replace("$CI_PIPELINE_SOURCE", "$PIPEGEN_SOURCE"))
        for rule in rules((PipelineCase(),), job.condition, job.span, report, defaults)
    )
