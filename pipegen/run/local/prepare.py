"""Preparation of a local run: everything is checked before any stage starts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain

from pipegen.bindings.expression import Scope, Text
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.plan.model import IdToken, Job, Plan
from pipegen.plan.rewriting import instances
from pipegen.run.local import shell_variables as names
from pipegen.run.local.conditions import RunContext
from pipegen.run.local.effects import effects, refuse, report_left_out, report_posts
from pipegen.run.local.executors.container import engine_error, program
from pipegen.run.local.executors.local import LocalTask
from pipegen.run.local.redaction.redactor import Redactor
from pipegen.run.local.redaction.secrets import SecretSources
from pipegen.run.local.scripts import StageScript, stage_script
from pipegen.run.local.selection import SelectedPipeline, pipelines, select, with_priorities
from pipegen.run.model import TaskId
from pipegen.shell.host import ShellEnvironment
from pipegen.shell.values.credentials import check_distinct_sources, sources
from pipegen.source.git import without_repository
from pipegen.structs import Struct, replace
from pipegen.visible import visible


class RunRequest(Struct, kw_only=True):
    """The options of a run.

    Attributes:
        stages: the requested stages; () for all.
        first: the stages that start before others when they are ready.
        is_isolated: whether each stage gets its own tree.
        is_on_host: whether stages run directly on this machine, and images are ignored.
        ignores_cache: whether results of earlier runs are not reused.
        allows_effects: whether stages may have effects outside this machine, or the user can be asked.
        is_dry: whether the stages are only shown, also if the run lacks something.
        environment: the environment variables, including those of an env file.
        started: the start of the run in UTC.
    """

    stages: tuple[str, ...]
    first: tuple[str, ...] = ()
    is_isolated: bool
    is_on_host: bool
    ignores_cache: bool = False
    allows_effects: bool = False
    is_dry: bool = False
    environment: Mapping[str, str]
    started: datetime

    def wants(self, job: Job, context: RunContext) -> bool:
        """Return whether *job* runs: stages that the user names run regardless of conditions."""
        return bool(self.stages) or context.holds(job.condition)


class Prepared(Struct, kw_only=True):
    """Everything that stages need.

    *environment* holds the variables of every process, *variables* those of scripts; *program* is the container
    program, "" if no stage needs one. *redactor* hides the secrets of all stages in every log, because a stage may
    print a value of another stage.
    """

    hosts: Mapping[str, ShellEnvironment]
    work: Mapping[TaskId, LocalTask]
    environment: Mapping[str, str]
    variables: Mapping[str, str]
    program: str
    redactor: Redactor


def gather(
    plans: Sequence[Plan], named: Sequence[str], context: RunContext, request: RunRequest, report: Report
) -> tuple[tuple[SelectedPipeline, ...], Prepared]:
    """Return the selected parts of *plans*, by default the pipelines that always run, and their needs.

    Raise `Stopped` if errors are reported, in a dry run only if they are in the selection. Naming a stage selects its
    pipeline.
    """
    pipeline_names = [plan.name for plan in plans] if request.stages and not named else named
    report_posts(plans, report)
    plans = tuple(
        replace(
            plan,
            jobs=tuple(
                names.with_paths(job.in_case(context.holds), context, request.started)
                for job in plan.jobs
                if not job.posts
            ),
        )
        for plan in plans
    )
    parts = select(pipelines(plans, pipeline_names, context), request.stages, report)
    parts = with_priorities(parts, request.first, report)
    report.stop_if_errors()
    prepared = prepare(parts, context, request, report)
    jobs = [job for selection in parts for job in selection.jobs if request.wants(job, context)]
    report_left_out(jobs, report)
    if not request.allows_effects:
        refuse(tuple(effects(jobs)), report)
    if not request.is_dry:
        report.stop_if_errors()
    return parts, prepared


def prepare(parts: Sequence[SelectedPipeline], context: RunContext, request: RunRequest, report: Report) -> Prepared:
    """Return the needs of the stages of *parts*; report missing ones of stages that run."""
    checkout = context.checkout
    hosts = {
        selection.plan.name: names.host(selection.plan, request.environment, is_isolated=request.is_isolated)
        for selection in parts
    }
    scripts = dict(chain.from_iterable(_scripts(selection, hosts[selection.plan.name]) for selection in parts))
    secrets = SecretSources(request.environment)
    if request.is_isolated and not checkout.is_repository:
        report.add(
            codes.NO_REPOSITORY,
            "the config is not in a git repository: no files are committed or staged",
            at=parts[0].plan.span if parts else None,
            hint='omit --isolated, or run "git init" and add the files with "git add"',
        )
    jobs = {TaskId(selection.plan.name, job.stage): job for selection in parts for job in selection.jobs}
    selected = {task: job for task, job in jobs.items() if request.wants(job, context)}
    secrets.check([(job, scripts[task].credentials) for task, job in selected.items()], report)
    plans = {selection.plan.name: selection.plan for selection in parts}
    for task, job in selected.items():
        _check_values(job, plans[task.pipeline], scripts[task], hosts[task.pipeline], report)
        _check_services(job, request, report)
    tokens = tuple(token for job in jobs.values() for token in job.id_tokens)
    credentials = tuple(credential for script in scripts.values() for credential in script.credentials)
    check_distinct_sources(credentials, report)
    redactor = secrets.redactor(credentials, tokens, also=request.environment.get(names.REGISTRY_PASSWORD, ""))
    setup = chain.from_iterable(script.setup for script in scripts.values())
    labels = names.label_names(f"{script.main}{script.after}" for script in scripts.values())
    container_program = _program([(job, scripts[task]) for task, job in selected.items()], request, report)
    return Prepared(
        hosts=hosts,
        work={task: _work(script, jobs[task], secrets, redactor) for task, script in scripts.items()},
        environment=_environment(scripts.values(), tokens, container_program, request),
        variables={
            **names.places(request.environment),
            **names.input_values(parts[0].plan.inputs if parts else ()),
            **names.setup_values((*setup, *labels), context, request.started, request.environment),
        },
        program=container_program,
        redactor=redactor,
    )


def _scripts(selection: SelectedPipeline, host: ShellEnvironment) -> Iterator[tuple[TaskId, StageScript]]:
    producers = {job.stage: job for job in selection.plan.jobs}
    for job in selection.jobs:
        yield TaskId(selection.plan.name, job.stage), stage_script(job, selection.plan, producers, host)


def _work(script: StageScript, job: Job, secrets: SecretSources, redactor: Redactor) -> LocalTask:
    variables = secrets.variables(script.credentials, job.id_tokens)
    password = secrets.environment.get(names.REGISTRY_PASSWORD)
    if password is not None and names.REGISTRY_PASSWORD in f"{script.main}{script.after}":
        variables[names.REGISTRY_PASSWORD] = password
    return LocalTask(script=script, secrets=variables, files=secrets.files(script.credentials), redactor=redactor)


def _environment(
    scripts: Iterable[StageScript], tokens: Iterable[IdToken], container_program: str, request: RunRequest
) -> dict[str, str]:
    """Return the environment variables without secrets: only stages that use a secret get it.

    In an isolated run, git finds the copy of the stage, also if pipegen runs in a hook.
    """
    hidden = {source for script in scripts for credential in script.credentials for source in sources(credential)}
    hidden |= {names.REGISTRY_PASSWORD, *(token.variable for token in tokens)}
    environment = without_repository(request.environment) if request.is_isolated else request.environment
    visible_variables = {name: value for name, value in environment.items() if name not in hidden}
    return {**visible_variables, "DOCKER": container_program} if container_program else visible_variables


def _program(stages: Sequence[tuple[Job, StageScript]], request: RunRequest, report: Report) -> str:
    """Return the container program if one of *stages* needs it, else ""; report if it is missing or fails."""
    in_image = next((job for job, _ in stages if job.machine.image is not None and not request.is_on_host), None)
    container_job = in_image or next((job for job, script in stages if script.uses_containers), None)
    if container_job is None:
        return ""
    program_path = program(request.environment)
    image = container_job.machine.image
    at = image.span if in_image is not None and image is not None else container_job.span
    if program_path is not None and (error := engine_error(program_path, request.environment)) is not None:
        report.add(
            codes.NO_CONTAINER_ENGINE,
            f'stage "{container_job.title}" needs a container engine, '
            f'but "{program_path}" cannot reach one: {visible(error)}',
            at=at,
            hint="start the engine" + (", or run stages on this machine with --host" if in_image is not None else ""),
        )
    if program_path is None:
        report.add(
            codes.NO_CONTAINER_PROGRAM,
            f'stage "{container_job.title}" needs docker or podman, but neither is on the PATH',
            at=at,
            hint="install one of them, name one in the variable DOCKER, or run stages on this machine with --host"
            if in_image is not None
            else "install one of them, or name one in the variable DOCKER",
        )
    return program_path or ""


def _check_services(job: Job, request: RunRequest, report: Report) -> None:
    if job.machine.services and (job.machine.image is None or request.is_on_host):
        report.add(
            codes.SERVICES_LEFT_OUT,
            f'the services of stage "{job.title}" are not started, because it does not run in a container',
            at=job.machine.services[0].span,
            hint="start them yourself at the addresses that it uses"
            + ("" if request.is_on_host else '; or name an image for the stage: "image: python:3.12"'),
        )


def _check_values(job: Job, plan: Plan, script: StageScript, host: ShellEnvironment, report: Report) -> None:
    """Report missing inputs, and setup values that do not exist in local runs."""
    for input_ in plan.inputs:
        if input_.name in script.inputs and input_.default is None:
            report.add(
                codes.MISSING_INPUT,
                f'input "{input_.name}" is not set, but stage "{job.title}" reads it',
                at=input_.span,
                hint=f"set it: --set {input_.name}=VALUE",
            )
    if all(host.setup(name) is not None for name in script.setup):
        return
    for text in instances(Text, (job.steps, job.after, job.machine)):
        for reference in text.references_without_default():
            if reference.scope is Scope.SETUP and host.setup(reference.name) is None:
                report.add(
                    codes.ENGINE_HAS_NO_VALUE,
                    f'a local run has no value for "{reference}"',
                    at=reference.span,
                    label="always empty in local runs",
                    hint=f'add a default: "${{setup.{reference.name}|text}}"',
                )
