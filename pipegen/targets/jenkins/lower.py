"""The plans of a file, lowered to a Jenkinsfile."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.diagnostics.report import Report
from pipegen.emit.header import options_note
from pipegen.structs import replace
from pipegen.targets.base import Request
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.checkouts import Checkouts, lower_checkouts
from pipegen.targets.jenkins.job.plugins import has_containers, plugin_notes
from pipegen.targets.jenkins.job.properties import job_properties
from pipegen.targets.jenkins.job.runs import run_properties
from pipegen.targets.jenkins.job.selection import lower_parameters, lower_selection
from pipegen.targets.jenkins.job.variables import (
    checkout_variables,
    common_variables,
    skips_checkout,
    start_variables,
    used_setup,
)
from pipegen.targets.jenkins.model.parts import parts_of
from pipegen.targets.jenkins.named_jobs import NamedJob, PlanScripts, ScriptedPlans, named_jobs
from pipegen.targets.jenkins.names import StageNames
from pipegen.targets.jenkins.settings import JenkinsSettings
from pipegen.targets.jenkins.size.files import FileFrame, in_functions, weigh_parameter, weigh_variable
from pipegen.targets.jenkins.stages.agents.agents import common_agent
from pipegen.targets.jenkins.stages.files.caches import CacheNames
from pipegen.targets.jenkins.stages.files.post_actions import ReportKinds
from pipegen.targets.jenkins.stages.files.stashes import Stashes
from pipegen.targets.jenkins.stages.guards.conditions import lower_look
from pipegen.targets.jenkins.stages.guards.forks import file_guard
from pipegen.targets.jenkins.stages.lower_stages import lower_stages
from pipegen.targets.jenkins.stages.scripts.preludes import Preludes
from pipegen.targets.jenkins.stages.scripts.statuses import Statuses
from pipegen.targets.jenkins.stages.steps import StepContext, script_steps
from pipegen.targets.jenkins.styles.functions import helpers
from pipegen.targets.jenkins.styles.layout import lay_out


def lower(
    scripts: Sequence[PlanScripts], request: Request, settings: JenkinsSettings, report: Report
) -> model.Jenkinsfile:
    """Return the Jenkinsfile of the plans in *scripts*; report features that Jenkins lacks."""
    named = named_jobs(scripts, settings)
    used = used_setup(named)
    checkouts = _checkouts(named, used)
    work = ScriptedPlans(
        scripts=tuple(scripts),
        named=named,
        settings=settings,
        checkouts=checkouts,
        is_conditional=not request.selected and (len(scripts) > 1 or scripts[0].plan.condition is not None),
        ends=_end_names(named),
    )
    preludes = Preludes(script for job in named for script in (job.script, job.script.after) if script)
    common = common_variables(named, settings)
    frame = _frame(work, used, common, request, report)
    shared = _step_context(work, preludes, common, is_guarded=bool(frame.guard))
    style = request.options.get("style", "auto")
    layout = lay_out(work, style, lambda style: lower_stages(named, shared, style), frame, report)
    body, stages, recipients = layout.body, layout.stages.stages, layout.stages.recipients
    is_scripted = isinstance(body, model.ScriptedPipelines)
    # In a declarative file, directives have replaced steps of the stages.
    stage_parts = tuple(parts_of(body, *(stages if is_scripted else ())))
    if isinstance(body, model.Declarative) and body.tests_condition:
        frame = replace(frame, selection=None)
    other_parts = parts_of(*recipients, *frame.variables, frame.selection, frame.look, *frame.guard)
    return model.Jenkinsfile(
        notes=(*_options_note(request), *layout.notes, *plugin_notes((*stage_parts, *frame.properties))),
        libraries=settings.libraries,
        definitions=settings.definitions.strip("\n"),
        properties=frame.properties,
        parameters=frame.parameters,
        selection=frame.selection,
        variables=frame.variables,
        look=frame.look,
        pin=frame.pin,
        guard=frame.guard,
        body=body,
        stages=stages,
        preludes=_preludes(preludes),
        recipients=recipients,
        checkout=checkouts.function,
        helpers=helpers((*stage_parts, *other_parts), frame.look),
        has_containers=has_containers(stage_parts),
        has_stashes=model.Stash in map(type, stage_parts),
        setters=in_functions(frame.variables, weigh_variable) if is_scripted else (),
        parameter_lists=in_functions(frame.parameters, weigh_parameter) if is_scripted else (),
    )


def _checkouts(named: Sequence[NamedJob], used: Sequence[str]) -> Checkouts:
    """Return the checkouts of the jobs that have one, for the setup values *used*."""
    skipping = frozenset([named_job.name for named_job in named if skips_checkout(named_job)])
    fetching = [(named_job.plan, named_job.job) for named_job in named if named_job.name not in skipping]
    return lower_checkouts(fetching, skipping, checkout_variables(used))


def _options_note(request: Request) -> tuple[str, ...]:
    return options_note(request.selected, request.fixed_inputs, since=request.options.get("changed_since", ""))


def _step_context(
    work: ScriptedPlans, preludes: Preludes, common: tuple[model.EnvironmentVariable, ...], *, is_guarded: bool
) -> StepContext:
    named = work.named
    return StepContext(
        work=work,
        preludes=preludes,
        stashes=Stashes(named),
        statuses=Statuses(named, work.ends),
        reports=ReportKinds(named_job.job for named_job in named),
        caches=CacheNames(named_job.job for named_job in named),
        common=common,
        is_guarded=is_guarded,
    )


def _frame(
    work: ScriptedPlans,
    used: Sequence[str],
    common: tuple[model.EnvironmentVariable, ...],
    request: Request,
    report: Report,
) -> FileFrame:
    of_runs = tuple(run_properties(work.plans, work.settings, report))
    properties = (*job_properties(work.settings, request.settings, of_runs, report), *of_runs)
    return FileFrame(
        properties=properties,
        parameters=lower_parameters(work, used, request.settings, report),
        selection=lower_selection(work),
        variables=(*start_variables(work, used), *common),
        look=lower_look(work),
        pin=_pin(work),
        guard=file_guard(properties, work.settings),
    )


def _pin(work: ScriptedPlans) -> model.Pin | None:
    pinned_jobs = [named for named in work.named if named.is_pinned]
    if not pinned_jobs or any(named.pins for named in pinned_jobs):
        return None
    pipelines = dict.fromkeys(named.plan.name for named in pinned_jobs)
    return model.Pin(common_agent((named.job for named in pinned_jobs), work.settings), work.selected(*pipelines))


def _preludes(preludes: Preludes) -> tuple[model.Prelude, ...]:
    return tuple(
        model.Prelude(function=prelude.function, comment=prelude.comment, sh=script_steps(prelude.commands))
        for prelude in preludes.named()
    )


_END = "all others"


def _end_names(named: Sequence[NamedJob]) -> dict[str, str]:
    """Return a unique stage name for the end of each pipeline that has finally stages."""
    final = {job.plan.name for job in named if job.job.is_final}
    if not final:
        return {}
    names = StageNames()
    for job in named:
        names.take(job.name)
    plans = dict.fromkeys(job.plan.name for job in named)
    return {plan: names.take(_END if len(plans) == 1 else f"{_END} of {plan}") for plan in plans if plan in final}
