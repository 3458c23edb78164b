"""A pipeline before its jobs are distributed to files."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

from pipegen.diagnostics.report import Report
from pipegen.plan.model import Job as PlanJob
from pipegen.structs import Struct, replace
from pipegen.targets.gitlab.jobs.drafts import DraftJob, redraft
from pipegen.targets.gitlab.jobs.triggers import Bridge
from pipegen.targets.gitlab.jobs.values.shell_variables import in_child
from pipegen.targets.gitlab.model import GitLabJob, RuleEntry
from pipegen.targets.gitlab.names import JobNames
from pipegen.targets.gitlab.needs.awaited import StageJob
from pipegen.targets.gitlab.pipelines import JobContext, PipelineJob
from pipegen.targets.gitlab.rules.build import PipelineCase
from pipegen.targets.gitlab.rules.expressions import NO_DEFAULTS
from pipegen.targets.gitlab.rules.inputs import input_defaults
from pipegen.targets.gitlab.rules.stages import StageRules, stage_rules


class PipelineLayout(Struct, kw_only=True):
    """A pipeline with the jobs of its *drafts* and all their needs, before they are distributed to files.

    *stage_jobs* are the jobs of its stages, *names* those in use before its own helpers got theirs.
    """

    pipeline: JobContext
    stage_jobs: Mapping[str, StageJob]
    pipeline_jobs: tuple[PipelineJob, ...]
    drafts: tuple[DraftJob, ...]
    names: JobNames
    report: Report

    def jobs(self) -> list[GitLabJob]:
        """Return the jobs without their stages."""
        return [pipeline_job.job for pipeline_job in self.pipeline_jobs]

    def for_child(self, stages: Container[str]) -> tuple[JobContext, tuple[PipelineJob, ...]]:
        """Return the pipeline as it is in a child, with the jobs of *stages*; the parent decides whether it runs.

        Other stages whose jobs take names take them here too, so that the remaining names are the same.
        """
        plan, host = self.pipeline.plan, in_child(self.pipeline.host)
        drafts = redraft(self.drafts, plan, host, self.pipeline.settings, self.report)
        bridges = [draft.job for draft in drafts if isinstance(draft.trigger, Bridge)]
        defaults = input_defaults((plan,))
        pipeline = replace(
            self.pipeline,
            host=host,
            names=self.names.copy(),
            rules=(),
            bridge_rules=(),
            stage_rules=_rules_in_child(plan.jobs, self.report),
            trigger_rules=_rules_in_child(bridges, self.report, defaults),
        )
        own_drafts = [draft for draft in drafts if draft.job.stage in stages or draft.job.mail is not None]
        return pipeline, tuple(pipeline.build_jobs(own_drafts, pipeline.stage_jobs(drafts)))


class ChildPart(Struct):
    """The jobs of a child pipeline; *bridge* names the job that starts it, *title* is for the name of its file."""

    title: str
    bridge: str
    jobs: tuple[GitLabJob, ...]


def _rules_in_child(
    jobs: Iterable[PlanJob], report: Report, defaults: Mapping[str, str] = NO_DEFAULTS
) -> dict[str, StageRules]:
    """Return the rules of *jobs* in a child, which reads its parent's source; *defaults* are for bridges."""
    return {
        stage: StageRules(with_source_of_parent(rules.own), with_source_of_parent(rules.of_helpers))
        for stage, rules in stage_rules(jobs, (PipelineCase(),), report, defaults).items()
    }


def with_source_of_parent(rules: Iterable[RuleEntry]) -> tuple[RuleEntry, ...]:
    """Return *rules* of a child pipeline, which test the source of its parent."""
    return tuple(
        replace(rule, condition=rule.condition.replace("$CI_PIPELINE_SOURCE", "$PIPEGEN_SOURCE")) for rule in rules
    )
