"""Plans to the model of one file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from pipegen.diagnostics.report import Report
from pipegen.plan.model import Job as PlanJob
from pipegen.plan.model import Plan
from pipegen.plan.model.logic import atoms
from pipegen.structs import Struct, replace
from pipegen.targets.gitlab.checks.omissions import check_mail, notes
from pipegen.targets.gitlab.checks.unsupported import check_credentials, check_plan
from pipegen.targets.gitlab.files.assembly import assembled
from pipegen.targets.gitlab.files.layout import ChildPart, PipelineLayout
from pipegen.targets.gitlab.helper_jobs.finally_stages import FINALLY, OUTCOME, check_outcomes
from pipegen.targets.gitlab.jobs import shell_variables as hosts
from pipegen.targets.gitlab.jobs.drafts import DraftJob, drafts
from pipegen.targets.gitlab.jobs.fetch import fetch_variables, has_one_fetch
from pipegen.targets.gitlab.jobs.hidden_jobs import Sharing, sharing
from pipegen.targets.gitlab.jobs.limits import check_limits
from pipegen.targets.gitlab.jobs.publications import publishing
from pipegen.targets.gitlab.jobs.triggers import Bridge, check_parameters
from pipegen.targets.gitlab.model import HELPER, Document, GitLabJob, RuleEntry, ScriptEntry, VariableEntry
from pipegen.targets.gitlab.names import JobNames, stage_names
from pipegen.targets.gitlab.pipelines import STEP, TEARDOWN, JobContext, step_number
from pipegen.targets.gitlab.rules import selection
from pipegen.targets.gitlab.rules.build import PipelineCase, check_changes, rules
from pipegen.targets.gitlab.rules.expressions import NO_DEFAULTS
from pipegen.targets.gitlab.rules.inputs import input_defaults, input_variables, refusals
from pipegen.targets.gitlab.rules.runs import cancels, check_runs, schedule_notes, with_interruptible
from pipegen.targets.gitlab.settings import GitLabSettings, Workflow
from pipegen.targets.texts import check_named_inputs

# What GitLab makes pipelines for where a file has no `workflow` and its jobs have no rules.
_USUAL = "$CI_COMMIT_BRANCH || $CI_COMMIT_TAG"


class ChildFile(Struct):
    """The file of a child pipeline, and the job of the parent that starts it."""

    title: str
    bridge: str
    document: Document


class Lowered(Struct):
    """A file, notes on it for whoever reads it, and the files of its children."""

    document: Document
    notes: tuple[str, ...]
    children: tuple[ChildFile, ...] = ()


def lower(
    plans: Sequence[Plan],
    settings: GitLabSettings,
    *,
    chosen: bool,
    report: Report,
    groups: Sequence[Sequence[str]] = (),
    is_child: bool = False,
) -> Lowered:
    """Return the file of *plans*; the pipelines that the user has *chosen* run unconditionally.

    There are several where *groups* of stages are to be in child pipelines. A file that *is_child* is one, and started
    by the pipeline that generates it.
    """
    names = JobNames()
    titles = stage_names(plans, names, report)
    drafted = _checked_drafts(plans, settings, report)
    whole = _Whole(
        plans=plans,
        settings=settings,
        chosen=chosen,
        is_child=is_child,
        shared=sharing(one.around for found in drafted for one in found if not one.is_bridge),
        titles=titles,
        report=report,
    )
    laid = [whole.laid(plan, found, names) for plan, found in zip(plans, drafted, strict=True)]
    told = (*notes(plans, settings), *schedule_notes(plans))
    document = whole.parent([assembled(one.pipeline, one.jobs(), one.places, names.copy(), report) for one in laid])
    if is_child:
        from pipegen.targets.gitlab.files.dynamic_children import as_child, child_notes  # noqa: PLC0415 - seldom asked for

        return Lowered(as_child(document, names, laid[0].pipeline.shell_image()), (*told, *child_notes(settings)))
    if not groups:
        return Lowered(document, told)
    # Most configs have no child pipelines, and start without what makes them.
    from pipegen.targets.gitlab.files.children import divided  # noqa: PLC0415
    from pipegen.targets.gitlab.files.splitting import split  # noqa: PLC0415

    cut = split(plans, laid, settings, groups, report)
    if not any(one.parts for one in cut):
        return Lowered(document, told)
    found = [divided(one, how.parts, how.titles, names) for one, how in zip(laid, cut, strict=True)]
    plans_made = zip(plans, found, strict=True)
    children = tuple(whole.child_file(plan, part) for plan, made in plans_made for part in made.children)
    waits = (note for how in cut for note in how.notes)
    return Lowered(whole.parent([made.jobs for made in found]), (*told, _starts(len(children)), *waits), children)


def _starts(children: int) -> str:
    """Return the note that there are files of *children*."""
    if children == 1:
        return "Starts a child pipeline, in a file of its own."
    return f"Starts {children} child pipelines, in files of their own."


class _Whole(Struct, kw_only=True):
    """What holds for all files of a config."""

    plans: Sequence[Plan]
    settings: GitLabSettings
    chosen: bool
    is_child: bool
    shared: Sharing
    titles: Mapping[tuple[str, str], str]
    report: Report

    def laid(self, plan: Plan, found: Sequence[DraftJob], names: JobNames) -> PipelineLayout:
        """Return the jobs of *plan*, whose stages' are *found*, which take *names*."""
        before = names.copy()
        choices, bridge_choices = _choices(self.plans, plan, chosen=self.chosen, is_child=self.is_child)
        bridges = [one.job for one in found if isinstance(one.trigger, Bridge)]
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
        places = pipeline.places(found)
        made = tuple(pipeline.made(found, places))
        return PipelineLayout(
            pipeline=pipeline, places=places, made=made, drafts=tuple(found), names=before, report=self.report
        )

    def parent(self, made: Iterable[Iterable[GitLabJob]]) -> Document:
        """Return the file of the jobs *made* of each pipeline."""
        is_conditional = selection.is_conditional(self.plans, chosen=self.chosen)
        jobs: list[GitLabJob] = []
        for plan, found in zip(self.plans, made, strict=True):
            jobs += with_interruptible(found, plan, self._titles(plan))
        workflow = selection.workflow(self.plans, chosen=self.chosen, report=self.report)
        refused = refusals(self.plans)
        document = self._document(
            jobs,
            workflow=workflow or ((RuleEntry(_USUAL),) if refused and not self.settings.workflow.rules else ()),
            variables=[selection.variable(self.plans)] if is_conditional else [],
            inputs=input_variables(self.plans),
        )
        return replace(
            document,
            settings=self.settings.workflow,
            refusals=refused,
            jobs=publishing(document, self.titles, self.settings),
        )

    def child_file(self, plan: Plan, part: ChildPart) -> ChildFile:
        """Return the file of *part* of *plan*, whose jobs run whenever they are started."""
        inputs = (replace(one, description="", options=()) for one in input_variables(self.plans))
        found = tuple(with_interruptible(part.jobs, plan, self._titles(plan)))
        document = self._document(found, workflow=(RuleEntry("", when="always"),), variables=[], inputs=tuple(inputs))
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
        top = [*variables, *inputs]
        top += fetch_variables(self.plans[0].fetch) if has_one_fetch(self.plans) else ()
        scripts = [one.before_script for one in hidden]
        scripts += [script for job in jobs for script in (job.before_script, job.script)]
        top += _used(hosts.variables(self.settings), scripts)
        return Document(
            stages=_stages(jobs),
            workflow=workflow,
            settings=Workflow(),
            cancels=cancels(self.plans),
            tags=self.settings.tags,
            id_tokens=self.settings.id_tokens,
            variables=tuple(top),
            hidden=hidden,
            jobs=vouched(jobs) if self.settings.id_tokens else tuple(jobs),
        )


def _checked_drafts(plans: Sequence[Plan], settings: GitLabSettings, report: Report) -> list[list[DraftJob]]:
    """Return the drafts of all stages of *plans*; what GitLab cannot say of them is reported."""
    check_mail(plans, settings, report)
    check_credentials(plans, report)
    check_outcomes(plans, report)
    check_named_inputs(plans, report)
    drafted = [_drafts(plan, settings, report) for plan in plans]
    check_changes(plans, report)
    check_runs(plans, report)
    return drafted


def _drafts(plan: Plan, settings: GitLabSettings, report: Report) -> list[DraftJob]:
    host = hosts.host(plan, settings)
    check_plan(plan, host, report)
    found = drafts(plan, host, settings, report)
    for job, draft in zip(plan.jobs, found, strict=True):
        check_limits(job, is_bridge=draft.is_bridge, report=report)
    return found


def _choices(
    plans: Sequence[Plan], plan: Plan, *, chosen: bool, is_child: bool
) -> tuple[tuple[PipelineCase, ...], tuple[PipelineCase, ...]]:
    """Return when the jobs of *plan* run, and when its bridges do.

    The condition of the only pipeline of a file stands in `workflow`, once for all jobs.
    """
    if (len(plans) == 1 and not is_child) or not selection.is_conditional(plans, chosen=chosen):
        return (PipelineCase(),), (PipelineCase(),)
    return selection.choices(plan), selection.choices(plan, has_variables=False)


def _stage_rules(
    jobs: Iterable[PlanJob],
    choices: tuple[PipelineCase, ...],
    report: Report,
    defaults: Mapping[str, str] = NO_DEFAULTS,
) -> dict[str, tuple[RuleEntry, ...]]:
    found: dict[str, tuple[RuleEntry, ...]] = {}
    is_always = choices == (PipelineCase(),)
    for job in jobs:
        if job.condition is None and is_always:
            found[job.stage] = ()
            continue
        asked = atoms(job.condition)
        found[job.stage] = rules(choices, job.condition, asked[0].span if asked else job.span, report, defaults)
    return found


def _stages(jobs: Sequence[GitLabJob]) -> tuple[str, ...]:
    """Return the steps that *jobs* stand in; they are there for the picture, needs make the order."""
    used = {job.stage for job in jobs}
    steps = (f"{STEP} {number + 1}" for number in range(max(map(step_number, jobs), default=0)))
    return (*steps, *(step for step in (OUTCOME, FINALLY, TEARDOWN) if step in used))


def _used(variables: Iterable[VariableEntry], scripts: Iterable[tuple[ScriptEntry, ...]]) -> list[VariableEntry]:
    """Return those of *variables* that one of *scripts* names."""
    # The names of all of them begin so, and few scripts name one.
    texts = "\n".join([entry.text for script in scripts for entry in script if "PIPEGEN_" in entry.text])
    return [variable for variable in variables if re.search(rf"\$\{{?{variable.name}\b", texts)]


def vouched(jobs: Sequence[GitLabJob]) -> tuple[GitLabJob, ...]:
    """Return *jobs* of a file whose every job gets tokens: those that no stage asked for get none."""
    return tuple(replace(job, inherits_tokens=False) if _is_helper(job) else job for job in jobs)


def _is_helper(job: GitLabJob) -> bool:
    """Return whether *job* stands beside those of stages; a bridge runs nothing that a token could be given to."""
    return job.trigger is None and any(variable.name == HELPER for variable in job.variables)
