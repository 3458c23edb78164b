"""The plans of a file, lowered to GitLab's model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from pipegen.diagnostics.report import Report
from pipegen.plan.model import Job as PlanJob
from pipegen.plan.model import Plan
from pipegen.plan.model.logic import atoms
from pipegen.shell.images import with_named_images
from pipegen.structs import Struct, replace
from pipegen.targets.gitlab.checks.unsupported import check_credentials, check_mail, check_plan, omission_notes
from pipegen.targets.gitlab.files.assembly import assemble
from pipegen.targets.gitlab.files.children import divide
from pipegen.targets.gitlab.files.dynamic_children import as_child, child_notes
from pipegen.targets.gitlab.files.layout import ChildPart, PipelineLayout
from pipegen.targets.gitlab.files.splitting import split
from pipegen.targets.gitlab.helper_jobs.finally_stages import FINALLY, OUTCOME, check_outcomes
from pipegen.targets.gitlab.jobs.deployments.approvals import check_successors
from pipegen.targets.gitlab.jobs.deployments.publications import publishing
from pipegen.targets.gitlab.jobs.drafts import DraftJob, drafts, with_early_login
from pipegen.targets.gitlab.jobs.fetch import fetch_variables, has_one_fetch
from pipegen.targets.gitlab.jobs.hidden_jobs import Sharing, sharing
from pipegen.targets.gitlab.jobs.included_jobs import external_stages
from pipegen.targets.gitlab.jobs.limits import check_limits, check_pipeline_timeout
from pipegen.targets.gitlab.jobs.tools import DOCKER
from pipegen.targets.gitlab.jobs.triggers import Bridge, check_parameters
from pipegen.targets.gitlab.jobs.values import shell_variables as hosts
from pipegen.targets.gitlab.model import Document, GitLabJob, RuleEntry, ScriptEntry, VariableEntry
from pipegen.targets.gitlab.names import JobNames, stage_names
from pipegen.targets.gitlab.pipelines import STEP, TEARDOWN, JobContext, step_number
from pipegen.targets.gitlab.rules import selection
from pipegen.targets.gitlab.rules.build import PipelineCase, check_changes, rules, variants
from pipegen.targets.gitlab.rules.expressions import NO_DEFAULTS
from pipegen.targets.gitlab.rules.inputs import input_defaults, input_variables, refusals
from pipegen.targets.gitlab.rules.runs import cancels, check_runs, schedule_notes, with_interruptible
from pipegen.targets.gitlab.settings import GitLabSettings, Workflow
from pipegen.targets.texts import check_named_inputs

# When GitLab creates pipelines for a file without `workflow` whose jobs have no rules.
_DEFAULT_WORKFLOW = "$CI_COMMIT_BRANCH || $CI_COMMIT_TAG"


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
    plans = [with_named_images(plan) for plan in plans]
    names = JobNames()
    titles = stage_names(plans, settings, names, report)
    drafted = _check_and_draft(plans, settings, report)
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
        return Lowered(
            as_child(document, names, layouts[0].pipeline.shell_image()), (*header_notes, *child_notes(settings))
        )
    if not groups:
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
    """Return the file with the stages in *groups* in child pipelines; *document* is the file without them."""
    splits = split(context.plans, layouts, context.settings, groups, context.report)
    if not any(each.parts for each in splits):
        return Lowered(document, header_notes)
    divided = [divide(layout, each.parts, each.titles, names) for layout, each in zip(layouts, splits, strict=True)]
    divided_plans = zip(context.plans, divided, strict=True)
    children = tuple(context.child_file(plan, part) for plan, files in divided_plans for part in files.children)
    waits = (note for each in splits for note in each.notes)
    return Lowered(
        context.parent([files.jobs for files in divided]), (*header_notes, _starts(len(children)), *waits), children
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
        choices, bridge_choices = _choices(self.plans, plan, has_selection=self.has_selection, is_child=self.is_child)
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
            stage_rules=_stage_rules(plan.jobs, choices, self.report),
            bridge_rules=rules(bridge_choices, None, plan.span, self.report, defaults),
            trigger_rules=_stage_rules(bridges, bridge_choices, self.report, defaults),
            fetch=() if has_one_fetch(self.plans) else fetch_variables(plan.fetch),
        )
        for job in bridges:
            check_parameters(plan.job(job.stage), pipeline.trigger_rules[job.stage], self.report)
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
        is_conditional = selection.is_conditional(self.plans, has_selection=self.has_selection)
        jobs: list[GitLabJob] = []
        for plan, own_jobs in zip(self.plans, pipeline_jobs, strict=True):
            titles = self._titles(plan)
            complete = tuple(with_interruptible(own_jobs, plan, titles))
            check_successors(complete, plan, titles, self.report)
            jobs += complete
        workflow = selection.workflow(self.plans, has_selection=self.has_selection, report=self.report)
        refusal_rules = refusals(self.plans)
        # Jobs with rules run in pipelines of merge requests, too.
        has_variants = any(variants(job) for plan in self.plans for job in plan.jobs)
        document = self._document(
            jobs,
            workflow=workflow
            or (
                (RuleEntry(_DEFAULT_WORKFLOW),)
                if (refusal_rules or has_variants) and not self.settings.workflow.rules
                else ()
            ),
            variables=[selection.variable(self.plans)] if is_conditional else [],
            inputs=input_variables(self.plans),
        )
        return replace(
            document,
            settings=self.settings.workflow,
            refusals=refusal_rules,
            external=self.settings.include,
            external_stages=external_stages(document, self.plans, self.titles, self.settings),
            jobs=publishing(document, self.titles, self.settings),
        )

    def child_file(self, plan: Plan, part: ChildPart) -> ChildFile:
        """Return the file of *part* of *plan*, whose jobs run whenever the child pipeline is started."""
        inputs = (replace(variable, description="", options=()) for variable in input_variables(self.plans))
        jobs = tuple(with_interruptible(part.jobs, plan, self._titles(plan)))
        document = self._document(jobs, workflow=(RuleEntry("", when="always"),), variables=[], inputs=tuple(inputs))
        return ChildFile(part.title, part.bridge, document)

    def _titles(self, plan: Plan) -> dict[str, str]:
        return {job.stage: self.titles[plan.name, job.stage] for job in plan.jobs}

    def _document(
        self,
        jobs: Sequence[GitLabJob],
        *,
        workflow: tuple[RuleEntry, ...],
        variables: list[VariableEntry],
        inputs: Iterable[VariableEntry],
    ) -> Document:
        used = {job.extends for job in jobs}
        hidden = tuple(one for one in self.shared.hidden if one.name in used)
        shared_variables = [*variables, *inputs]
        shared_variables += fetch_variables(self.plans[0].fetch) if has_one_fetch(self.plans) else ()
        scripts = [one.before_script for one in hidden]
        scripts += [script for job in jobs for script in (job.before_script, job.script)]
        shared_variables += _used(hosts.variables(self.settings), scripts)
        return Document(
            stages=_stages(jobs),
            workflow=workflow,
            settings=Workflow(),
            cancels=cancels(self.plans),
            tags=self.settings.tags,
            id_tokens=self.settings.id_tokens,
            variables=tuple(shared_variables),
            hidden=hidden,
            jobs=without_helper_tokens(jobs) if self.settings.id_tokens else tuple(jobs),
        )


def _check_and_draft(plans: Sequence[Plan], settings: GitLabSettings, report: Report) -> list[list[DraftJob]]:
    """Return the drafts of all stages of *plans*; report what GitLab does not support."""
    check_mail(plans, settings, report)
    check_credentials(plans, report)
    check_outcomes(plans, report)
    check_named_inputs(plans, report)
    drafted = [_drafts(plan, settings, report) for plan in plans]
    container_drafts = [draft for pipeline_drafts in drafted for draft in pipeline_drafts if draft.tools.kind == DOCKER]
    if all(draft.login for draft in container_drafts):
        drafted = [[with_early_login(draft) for draft in pipeline_drafts] for pipeline_drafts in drafted]
    check_changes(plans, report)
    check_runs(plans, report)
    return drafted


def _drafts(plan: Plan, settings: GitLabSettings, report: Report) -> list[DraftJob]:
    host = hosts.host(plan, settings)
    check_plan(plan, host, report)
    check_pipeline_timeout(plan, report)
    drafted = drafts(plan, host, settings, report)
    for job, draft in zip(plan.jobs, drafted, strict=True):
        check_limits(job, is_bridge=draft.is_bridge, report=report)
    return drafted


def _choices(
    plans: Sequence[Plan], plan: Plan, *, has_selection: bool, is_child: bool
) -> tuple[tuple[PipelineCase, ...], tuple[PipelineCase, ...]]:
    """Return the cases in which the jobs of *plan* run, and those in which its bridges run.

    The condition of the only pipeline of a file is in `workflow`, once for all jobs.
    """
    if (len(plans) == 1 and not is_child) or not selection.is_conditional(plans, has_selection=has_selection):
        return (PipelineCase(),), (PipelineCase(),)
    return selection.choices(plan), selection.choices(plan, has_variables=False)


def _stage_rules(
    jobs: Iterable[PlanJob],
    choices: tuple[PipelineCase, ...],
    report: Report,
    defaults: Mapping[str, str] = NO_DEFAULTS,
) -> dict[str, tuple[RuleEntry, ...]]:
    stage_rules: dict[str, tuple[RuleEntry, ...]] = {}
    is_always = choices == (PipelineCase(),)
    for job in jobs:
        ways = variants(job)
        if job.condition is None and is_always and not ways:
            stage_rules[job.stage] = ()
            continue
        conditions = atoms(job.condition)
        stage_rules[job.stage] = rules(
            choices, job.condition, conditions[0].span if conditions else job.span, report, defaults, ways
        )
    return stage_rules


def _stages(jobs: Sequence[GitLabJob]) -> tuple[str, ...]:
    """Return the GitLab stages of *jobs*, which are only for the display: needs define the order."""
    used = {job.stage for job in jobs}
    steps = (f"{STEP} {number + 1}" for number in range(max(map(step_number, jobs), default=0)))
    return (*steps, *(step for step in (OUTCOME, FINALLY, TEARDOWN) if step in used))


def _used(variables: Iterable[VariableEntry], scripts: Iterable[tuple[ScriptEntry, ...]]) -> list[VariableEntry]:
    """Return those of *variables* that one of *scripts* uses."""
    # All of them start with PIPEGEN_, and few scripts use one.
    texts = "\n".join([entry.text for script in scripts for entry in script if "PIPEGEN_" in entry.text])
    return [variable for variable in variables if texts and re.search(rf"\$\{{?{variable.name}\b", texts)]


def without_helper_tokens(jobs: Sequence[GitLabJob]) -> tuple[GitLabJob, ...]:
    """Return *jobs* of a file with default ID tokens, without tokens for helpers, which no stage requested."""
    return tuple(replace(job, inherited=("tags",)) if _is_helper(job) else job for job in jobs)


def _is_helper(job: GitLabJob) -> bool:
    """Return whether *job* is a helper that runs a script; a bridge runs none that could use a token."""
    return job.trigger is None and job.is_helper
