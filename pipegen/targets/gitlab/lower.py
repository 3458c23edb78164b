"""The plans of a file, lowered to GitLab's model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pipegen.diagnostics.report import Report
from pipegen.plan.model import Plan
from pipegen.shell.images import with_named_images
from pipegen.structs import Struct, replace
from pipegen.targets.gitlab.checks.drafts import checked_drafts
from pipegen.targets.gitlab.checks.unsupported import omission_notes
from pipegen.targets.gitlab.files.assembly import assemble
from pipegen.targets.gitlab.files.children import divide
from pipegen.targets.gitlab.files.document import file_document
from pipegen.targets.gitlab.files.dynamic_children import as_child, child_notes
from pipegen.targets.gitlab.files.layout import ChildPart, PipelineLayout
from pipegen.targets.gitlab.files.splitting import split
from pipegen.targets.gitlab.jobs.deployments.publications import publishing
from pipegen.targets.gitlab.jobs.drafts import DraftJob
from pipegen.targets.gitlab.jobs.fetch import fetch_variables, has_one_fetch
from pipegen.targets.gitlab.jobs.hidden_jobs import Sharing, sharing
from pipegen.targets.gitlab.jobs.included_jobs import external_stages
from pipegen.targets.gitlab.jobs.other_files import with_other_files
from pipegen.targets.gitlab.jobs.triggers import Bridge, check_parameters
from pipegen.targets.gitlab.jobs.values import shell_variables as hosts
from pipegen.targets.gitlab.model import Document, GitLabJob, RuleEntry
from pipegen.targets.gitlab.names import JobNames, stage_names
from pipegen.targets.gitlab.pipelines import JobContext
from pipegen.targets.gitlab.rules import selection
from pipegen.targets.gitlab.rules.build import rules, variants
from pipegen.targets.gitlab.rules.inputs import input_defaults, input_variables, refusals
from pipegen.targets.gitlab.rules.runs import report_overlapping, schedule_notes, waits, with_interruptible
from pipegen.targets.gitlab.rules.stages import pipeline_cases, stage_rules
from pipegen.targets.gitlab.settings import GitLabSettings

# When GitLab creates pipelines for a file without `workflow` whose jobs have no rules.
_DEFAULT_WORKFLOW = "$CI_COMMIT_BRANCH || $CI_COMMIT_TAG"
_ALWAYS = RuleEntry("", when="always")


class ChildFile(Struct):
    """The file of a child pipeline, and the name of the job in the parent that starts it."""

    title: str
    bridge: str
    document: Document


class Lowered(Struct):
    """A file, notes for its header, and the files of its child pipelines."""

    document: Document
    notes: tuple[str, ...]
    children: tuple[ChildFile, ...] = ()


def lower(
    plans: Sequence[Plan],
    settings: GitLabSettings,
    *,
    has_selection: bool,
    report: Report,
    groups: Sequence[Sequence[str]] = (),
    is_child: bool = False,
) -> Lowered:
    """Return the file of *plans*; with *has_selection*, the user selected the pipelines, which run unconditionally.

    *groups* are the stages of each child pipeline. With *is_child*, the file itself is a child pipeline, started by the
    pipeline that generates it.
    """
    plans = [with_named_images(plan, are_in_variables=True) for plan in plans]
    names = JobNames()
    titles = stage_names(plans, settings, names, report)
    drafted = checked_drafts(plans, settings, report)
    context = _FileContext(
        plans=plans,
        settings=settings,
        has_selection=has_selection,
        is_child=is_child,
        shared=sharing(draft.tools for pipeline_drafts in drafted for draft in pipeline_drafts if not draft.is_bridge),
        titles=titles,
        report=report,
    )
    layouts = [
        context.layout(plan, pipeline_drafts, names) for plan, pipeline_drafts in zip(plans, drafted, strict=True)
    ]
    header_notes = (*omission_notes(plans, settings), *schedule_notes(plans))
    document = context.parent(
        [assemble(layout.pipeline, layout.jobs(), layout.stage_jobs, names.copy(), report) for layout in layouts]
    )
    if is_child:
        for plan in filter(waits, plans):
            report_overlapping(
                plan, "this file is a child pipeline; the job that starts it can have a resource_group", report
            )
        return Lowered(
            as_child(document, names, layouts[0].pipeline.shell_image()), (*header_notes, *child_notes(settings))
        )
    if not groups and not any(map(waits, plans)):
        return Lowered(document, header_notes)
    return _with_children(context, document, layouts, groups, header_notes, names)


def _with_children(
    context: _FileContext,
    document: Document,
    layouts: Sequence[PipelineLayout],
    groups: Sequence[Sequence[str]],
    header_notes: tuple[str, ...],
    names: JobNames,
) -> Lowered:
    """Return the file with child pipelines of the stages in *groups*, and of pipelines whose runs wait for each other.

    *document* is the file without them.
    """
    splits = split(context.plans, layouts, context.settings, groups, context.report)
    if not any(each.parts for each in splits):
        return Lowered(document, header_notes)
    divided = [divide(layout, each, names) for layout, each in zip(layouts, splits, strict=True)]
    divided_plans = zip(context.plans, divided, strict=True)
    children = tuple(context.child_file(plan, part) for plan, files in divided_plans for part in files.children)
    notes = (note for each in splits for note in each.notes)
    return Lowered(
        context.parent([files.jobs for files in divided]), (*header_notes, _starts(len(children)), *notes), children
    )


def _starts(children: int) -> str:
    """Return the note about the number of child pipelines."""
    if children == 1:
        return "Starts a child pipeline, in a file of its own."
    return f"Starts {children} child pipelines, in files of their own."


class _FileContext(Struct, kw_only=True):
    """The values shared by all files of a config."""

    plans: Sequence[Plan]
    settings: GitLabSettings
    has_selection: bool
    is_child: bool
    shared: Sharing
    titles: Mapping[tuple[str, str], str]
    report: Report

    def layout(self, plan: Plan, drafts: Sequence[DraftJob], names: JobNames) -> PipelineLayout:
        """Return the jobs of *plan*, built from its *drafts*, whose names come from *names*."""
        names_before = names.copy()
        choices, bridge_choices = pipeline_cases(
            self.plans, plan, has_selection=self.has_selection, is_child=self.is_child
        )
        bridges = [draft.job for draft in drafts if isinstance(draft.trigger, Bridge)]
        defaults = input_defaults(self.plans)
        pipeline = JobContext(
            plan=plan,
            host=hosts.host(plan, self.settings),
            settings=self.settings,
            names=names,
            titles={job.stage: self.titles[plan.name, job.stage] for job in plan.jobs},
            prefix=f"{plan.name}: " if len(self.plans) > 1 else "",
            shares=self.shared.shares,
            rules=rules(choices, None, plan.span, self.report),
            stage_rules=stage_rules(plan.jobs, choices, self.report),
            bridge_rules=rules(bridge_choices, None, plan.span, self.report, defaults),
            trigger_rules=stage_rules(bridges, bridge_choices, self.report, defaults),
            fetch=() if has_one_fetch(self.plans) else fetch_variables(plan.fetch),
        )
        for job in bridges:
            check_parameters(plan.job(job.stage), pipeline.trigger_rules[job.stage].own, self.report)
        stage_jobs = pipeline.stage_jobs(drafts)
        jobs = tuple(pipeline.build_jobs(drafts, stage_jobs))
        return PipelineLayout(
            pipeline=pipeline,
            stage_jobs=stage_jobs,
            pipeline_jobs=jobs,
            drafts=tuple(drafts),
            names=names_before,
            report=self.report,
        )

    def parent(self, pipeline_jobs: Iterable[Iterable[GitLabJob]]) -> Document:
        """Return the main file, with the jobs of each pipeline."""
        has_rules = bool(self.settings.workflow.rules)
        is_conditional = selection.is_conditional(self.plans, has_selection=self.has_selection, has_rules=has_rules)
        jobs: list[GitLabJob] = []
        for plan, own_jobs in zip(self.plans, pipeline_jobs, strict=True):
            jobs += with_interruptible(own_jobs, plan, self._titles(plan))
        workflow = selection.workflow(
            self.plans,
            has_selection=self.has_selection,
            has_rules=has_rules,
            has_duplicates=self.settings.workflow.duplicates,
            report=self.report,
        )
        refusal_rules = refusals(self.plans)
        is_plain = self.settings.workflow.duplicates and not (is_conditional or has_rules or refusal_rules)
        if is_plain and workflow == (_ALWAYS,) and all(map(_decides_itself, jobs)):
            # With rules of the file, jobs without rules of other files would run for merge requests, too.
            workflow = ()
        elif not (workflow or has_rules) and (refusal_rules or self._has_variants()):
            workflow = (RuleEntry(_DEFAULT_WORKFLOW),)
        variables = [*((selection.variable(self.plans),) if is_conditional else ()), *input_variables(self.plans)]
        main = file_document(jobs, self.plans, self.settings, self.shared, workflow=workflow, variables=variables)
        return replace(
            main,
            settings=self.settings.workflow,
            refusals=refusal_rules,
            external=self.settings.include,
            external_stages=external_stages(main, self.plans, self.titles, self.settings),
            jobs=with_other_files(publishing(main, self.titles, self.settings), self.plans, self.titles, self.settings),
        )

    def child_file(self, plan: Plan, part: ChildPart) -> ChildFile:
        """Return the file of *part* of *plan*, whose jobs run whenever the child pipeline is started."""
        inputs = (replace(variable, description="", options=()) for variable in input_variables(self.plans))
        jobs = tuple(with_interruptible(part.jobs, plan, self._titles(plan)))
        child = file_document(jobs, self.plans, self.settings, self.shared, workflow=(_ALWAYS,), variables=inputs)
        own = with_other_files(child.jobs, [plan], self.titles, self.settings)
        return ChildFile(part.title, part.bridge, replace(child, jobs=own))

    def _has_variants(self) -> bool:
        """Return whether jobs have rules for their variants, by which they run in pipelines of merge requests, too."""
        return any(variants(job) for plan in self.plans for job in plan.jobs)

    def _titles(self, plan: Plan) -> dict[str, str]:
        return {job.stage: self.titles[plan.name, job.stage] for job in plan.jobs}


def _decides_itself(job: GitLabJob) -> bool:
    """Return whether rules of *job*, generated or raw, decide in which pipelines it runs."""
    return bool(job.rules) or "rules" in job.raw
