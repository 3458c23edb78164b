"""The scripts of a plan's stages, and checks for values that Jenkins lacks."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from pipegen.bindings.expression import Reference, Scope, Text
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Commands, Export, Job, Plan, TriggerJob, Workspace
from pipegen.plan.model.texts import job_texts
from pipegen.shell.host import ShellEnvironment
from pipegen.shell.script import script
from pipegen.shell.teardown import teardown
from pipegen.structs import replace
from pipegen.targets.constants import check_cases, constants, no_text
from pipegen.targets.jenkins.checkouts import check_checkouts
from pipegen.targets.jenkins.named_jobs import PlanScripts
from pipegen.targets.jenkins.settings import JenkinsSettings
from pipegen.targets.jenkins.stages.agents.machines import check_machine
from pipegen.targets.jenkins.stages.agents.pods import check_pod, with_shared_pod
from pipegen.targets.jenkins.stages.agents.tools import tools
from pipegen.targets.jenkins.stages.files.retention import check_retention
from pipegen.targets.jenkins.stages.guards.limits import check_limits
from pipegen.targets.jenkins.stages.plugin_steps import check_plugin_steps
from pipegen.targets.jenkins.stages.raw import check_raw
from pipegen.targets.jenkins.stages.scripts.shell_variables import host, is_assignable, is_free_name
from pipegen.targets.jenkins.stages.scripts.values import is_known


def plan_scripts(plan: Plan, settings: JenkinsSettings, report: Report) -> PlanScripts:
    """Return *plan* with the script of each stage; setup values that Jenkins lacks are reported."""
    if plan.workspace is Workspace.SHARED:
        plan = with_shared_pod(plan, report)
    environment = host(plan, settings)
    check_limits(plan, report)
    check_checkouts(plan, report)
    producers = {job.stage: job for job in plan.jobs}
    homes = {tool.home for job in plan.jobs for tool in tools(job, settings)}

    def is_free(name: str) -> bool:
        return name not in homes and is_free_name(name)

    def is_constant(name: str) -> bool:
        return is_assignable(name) and is_free(name)

    check_cases(plan, is_free, "Jenkins", report)
    statuses = {job.stage: _statuses(job) for job in plan.jobs}
    # The steps `withEnv` and `environment` remove a variable whose value is empty.
    set_by_engine = {
        job.stage: constants(
            job, plan, is_constant, removes_empty=True, expandable=_status_text if statuses[job.stage] else no_text
        )
        for job in plan.jobs
    }
    scripts = {
        stage: script(
            _without_known(constants_of_job.job, plan, producers), plan, producers, environment, constants_of_job.names
        )
        for stage, constants_of_job in set_by_engine.items()
    }
    for job in plan.jobs:
        _check(job, plan, environment, report, has_setup=bool(scripts[job.stage].setup))
    return PlanScripts(
        plan=plan,
        scripts=scripts,
        variables={
            stage: tuple([variable for variable in own.variables if variable[0] not in statuses[stage]])
            for stage, own in set_by_engine.items()
        },
        teardown=teardown(plan.jobs, environment),
        statuses={
            stage: tuple([(name, status) for name, status in statuses[stage].items() if name in own.names])
            for stage, own in set_by_engine.items()
        },
    )


def _check(job: Job, plan: Plan, environment: ShellEnvironment, report: Report, *, has_setup: bool) -> None:
    """Report what Jenkins lacks for *job*, also setup values if its script *has_setup* values or other texts may."""
    check_retention(job, report)
    check_raw(job, report)
    check_plugin_steps(job, plan, report)
    check_machine(job, report)
    check_pod(job, report)
    _check_children(job, report)
    if has_setup or _has_other_texts(job):
        for text in job_texts(job, with_environment=False):
            for reference in text.references_without_default():
                _check_setup(reference, environment, report)


def _statuses(job: Job) -> dict[str, str]:
    """Return the stages by the variables in `env` of *job* that are only their status; "" is the pipeline.

    There are none if other texts than its script read the variables, or if cases replace some.
    """
    if not job.statuses or job.plugin_steps is not None or job.cases:
        return {}
    variables = [variable for step in job.steps if isinstance(step, Commands) for variable in step.env]
    references = {name: text.reference for name, text in variables if _status_text(text, ()) is not None}
    return {name: reference.namespace or "" for name, reference in references.items() if reference is not None}


def _status_text(text: Text, _known: Collection[str]) -> str | None:
    """Return a text in place of *text* if that is only the status of a stage, which Jenkins sets."""
    reference = text.reference
    is_status = reference is not None and reference.scope is Scope.STATUS and not reference.default
    return "status" if is_status else None


def _without_known(job: Job, plan: Plan, jobs: Mapping[str, Job]) -> Job:
    """Return *job* without values of parameters of triggers that Jenkins knows: its script writes the others.

    *jobs* are those of *plan* by stage.
    """
    if TriggerJob not in map(type, job.steps):
        return job

    def parameter(name: str, text: Text) -> tuple[str, Text]:
        return name, Text((), text.span) if is_known(text, job, plan, jobs) else text

    steps = (
        replace(step, parameters=tuple(parameter(*each) for each in step.parameters))
        if isinstance(step, TriggerJob)
        else step
        for step in job.steps
    )
    return replace(job, steps=tuple(steps))


def _check_children(job: Job, report: Report) -> None:
    """Report the child pipeline of *job*: its files are in GitLab's language."""
    for step in job.steps:
        if isinstance(step, TriggerJob) and step.include:
            report.add(
                codes.CHILD_PIPELINE,
                f'Jenkins has no child pipelines: stage "{job.title}" starts one of GitLab\'s files',
                at=step.span,
                hint='import the file with "pipegen import" as a pipeline of this config, and call it with "pipeline"',
            )


def _has_other_texts(job: Job) -> bool:
    """Return whether *job* may use values outside its script."""
    image = job.machine.image
    is_plain = image is None or image.name.constant is not None
    is_read = job.mail or job.plugin_steps
    kinds = {type(step) for step in job.steps}
    return bool(is_read or job.caches or job.machine.services or not is_plain or kinds & {Export, TriggerJob})


def _check_setup(reference: Reference, environment: ShellEnvironment, report: Report) -> None:
    if reference.scope is Scope.SETUP and environment.setup(reference.name) is None:
        report.add(
            codes.ENGINE_HAS_NO_VALUE,
            f'Jenkins has no value for "{reference}"',
            at=reference.span,
            label="always empty there",
            hint=f'give a default: "${{setup.{reference.name}|text}}"',
        )
