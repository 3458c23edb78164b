"""Plans to the model of one file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pipegen.diagnostics.report import Report
from pipegen.plan.model import Plan
from pipegen.plan.model.logic import atoms
from pipegen.targets.gitlab import host as hosts
from pipegen.targets.gitlab import selection
from pipegen.targets.gitlab.assembly import assembled
from pipegen.targets.gitlab.checks import check_plan
from pipegen.targets.gitlab.drafts import Draft, drafts
from pipegen.targets.gitlab.fetch import fetch_variables, has_one_fetch
from pipegen.targets.gitlab.final import FINALLY, OUTCOME, check_outcomes
from pipegen.targets.gitlab.inputs import input_variables
from pipegen.targets.gitlab.limits import check_limits
from pipegen.targets.gitlab.model import Document, Entry, Hidden, Job, Rule, Variable
from pipegen.targets.gitlab.names import Names, stage_names
from pipegen.targets.gitlab.omissions import check_mail, notes
from pipegen.targets.gitlab.pipelines import TEARDOWN, Pipeline
from pipegen.targets.gitlab.publications import publishing
from pipegen.targets.gitlab.rules import Choice, check_changes, rules
from pipegen.targets.gitlab.runs import cancels, check_runs, schedule_notes, with_interruptible
from pipegen.targets.gitlab.settings import Settings
from pipegen.targets.gitlab.sharing import sharing


@dataclass(frozen=True, slots=True)
class Lowered:
    """A file, and notes on it for whoever reads it."""

    document: Document
    notes: tuple[str, ...]


def lower(plans: Sequence[Plan], settings: Settings, *, chosen: bool, report: Report) -> Lowered:
    """Return the file of *plans*; the pipelines that the user has *chosen* run unconditionally."""
    names = Names()
    titles = stage_names(plans, names, report)
    check_mail(plans, settings, report)
    check_outcomes(plans, report)
    drafted = [_drafts(plan, settings, report) for plan in plans]
    shared = sharing(one.around for found in drafted for one in found if not one.is_bridge)
    is_conditional = selection.is_conditional(plans, chosen=chosen)
    check_changes(plans, report)
    check_runs(plans, report)
    jobs: list[Job] = []
    for plan, found in zip(plans, drafted, strict=True):
        pipeline = Pipeline(
            plan=plan,
            host=hosts.host(plan, settings),
            settings=settings,
            names=names,
            titles={job.stage: titles[plan.name, job.stage] for job in plan.jobs},
            prefix=f"{plan.name}: " if len(plans) > 1 else "",
            shares=shared.shares,
            rules=rules(_choices(plans, plan, chosen=chosen), None, plan.span, report),
            stage_rules=_stage_rules(plan, _choices(plans, plan, chosen=chosen), report),
            fetch=() if has_one_fetch(plans) else fetch_variables(plan.fetch),
        )
        places = pipeline.places(found)
        made = [one.job for one in pipeline.made(found, places)]
        jobs += with_interruptible(assembled(pipeline, made, places, names), plan, pipeline.titles)
    top = [selection.variable(plans)] if is_conditional else []
    top += input_variables(plans)
    top += fetch_variables(plans[0].fetch) if has_one_fetch(plans) else ()
    top += _used(hosts.variables(settings), (*shared.hidden, *jobs))
    document = Document(
        stages=_stages(plans, jobs),
        workflow=selection.workflow(plans, chosen=chosen, report=report),
        settings=settings.workflow,
        cancels=cancels(plans),
        tags=settings.tags,
        id_tokens=settings.id_tokens,
        variables=tuple(top),
        hidden=shared.hidden,
        jobs=publishing(jobs, titles, settings),
    )
    return Lowered(document, (*notes(plans, settings), *schedule_notes(plans)))


def _drafts(plan: Plan, settings: Settings, report: Report) -> list[Draft]:
    host = hosts.host(plan, settings)
    check_plan(plan, host, report)
    found = drafts(plan, host, settings, report)
    for job, draft in zip(plan.jobs, found, strict=True):
        check_limits(job, is_bridge=draft.is_bridge, report=report)
    return found


def _choices(plans: Sequence[Plan], plan: Plan, *, chosen: bool) -> tuple[Choice, ...]:
    """Return when the jobs of *plan* run; what holds for the only pipeline of a file is said once, for all of it."""
    is_told = len(plans) == 1 or not selection.is_conditional(plans, chosen=chosen)
    return (Choice(),) if is_told else selection.choices(plan)


def _stage_rules(plan: Plan, choices: Sequence[Choice], report: Report) -> dict[str, tuple[Rule, ...]]:
    found = {}
    for job in plan.jobs:
        asked = atoms(job.condition)
        found[job.stage] = rules(choices, job.condition, asked[0].span if asked else job.span, report)
    return found


def _stages(plans: Sequence[Plan], jobs: Sequence[Job]) -> tuple[str, ...]:
    """Return a step for each frame of the longest plan; they are there for the picture, needs make the order."""
    steps = tuple(f"step {number + 1}" for number in range(max(len(plan.frames) for plan in plans)))
    used = {job.stage for job in jobs}
    return (*steps, *(step for step in (OUTCOME, FINALLY, TEARDOWN) if step in used))


def _used(variables: Iterable[Variable], jobs: Iterable[Hidden | Job]) -> list[Variable]:
    """Return those of *variables* that a script names."""
    texts = "\n".join(entry.text for job in jobs for entry in _script(job))
    return [variable for variable in variables if re.search(rf"\$\{{?{variable.name}\b", texts)]


def _script(job: Hidden | Job) -> tuple[Entry, ...]:
    return (*job.before_script, *job.script) if isinstance(job, Job) else job.before_script
