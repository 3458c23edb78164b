"""What a run on this machine needs, gathered and checked before anything starts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain

from pipegen.bindings.expression import Defaulted, Reference, Scope, Text
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.plan.model import IdToken, Job, Plan
from pipegen.run.local import shell_variables as names
from pipegen.run.local.conditions import RunContext
from pipegen.run.local.effects import effects, refuse, tell_left_out
from pipegen.run.local.executors.container import engine_error, program
from pipegen.run.local.executors.local import LocalTask
from pipegen.run.local.find import found
from pipegen.run.local.redaction.redactor import Redactor
from pipegen.run.local.redaction.secrets import SecretSources
from pipegen.run.local.scripts import StageScript, stage_script
from pipegen.run.local.selection import SelectedPipeline, chosen, pipelines
from pipegen.run.model import TaskId
from pipegen.shell.credentials import check_distinct_sources, sources
from pipegen.shell.host import ShellEnvironment
from pipegen.structs import Struct
from pipegen.visible import visible


class RunRequest(Struct, kw_only=True):
    """What a user asks of a run.

    Attributes:
        stages: the stages that it is about, all where there is none.
        is_isolated: whether each stage gets a tree of its own.
        is_on_host: whether stages run on this machine, whatever image they name.
        is_made_anew: whether results of earlier runs are left alone.
        may_reach_out: whether stages may act on what is outside of this machine, or somebody can be asked about it.
        environment: the variables around, those of an env file among them.
        started: when it began, in UTC.
    """

    stages: tuple[str, ...] = ()
    is_isolated: bool = False
    is_on_host: bool = False
    is_made_anew: bool = False
    may_reach_out: bool = False
    environment: Mapping[str, str]
    started: datetime

    def wants(self, job: Job, asked: RunContext) -> bool:
        """Return whether *job* runs if it is reached: who names stages has said that they shall, whatever holds."""
        return bool(self.stages) or asked.holds(job.condition)


class Prepared(Struct, kw_only=True):
    """All that stages need.

    *environment* is what every process finds, *variables* what scripts read besides; *program* is that for containers,
    "" where no stage needs one. *redactor* hides the secrets of all stages in every log: one stage may print what
    another one has handed on.
    """

    hosts: Mapping[str, ShellEnvironment]
    work: Mapping[TaskId, LocalTask]
    environment: Mapping[str, str]
    variables: Mapping[str, str]
    program: str
    redactor: Redactor


def gather(
    plans: Sequence[Plan], named: Sequence[str], asked: RunContext, wish: RunRequest, report: Report
) -> tuple[tuple[SelectedPipeline, ...], Prepared]:
    """Return what of *plans* runs, those *named* or those that run unasked, and all that it needs.

    Raise `Stopped` where something that is reported keeps it from running. To ask for a stage by its name is to ask for
    its pipeline.
    """
    every = [plan.name for plan in plans] if wish.stages and not named else named
    parts = chosen(pipelines(plans, every, asked.holds), wish.stages, report)
    report.stop_if_errors()
    prepared = prepare(parts, asked, wish, report)
    jobs = [job for one in parts for job in one.jobs if wish.wants(job, asked)]
    tell_left_out(jobs, report)
    if not wish.may_reach_out:
        refuse(tuple(effects(jobs)), report)
    report.stop_if_errors()
    return parts, prepared


def prepare(parts: Sequence[SelectedPipeline], asked: RunContext, wish: RunRequest, report: Report) -> Prepared:
    """Return what the stages of *parts* need; what those lack that run is reported."""
    checkout = asked.checkout
    hosts = {one.plan.name: names.host(one.plan, wish.environment, is_isolated=wish.is_isolated) for one in parts}
    scripts = dict(chain.from_iterable(_scripts(one, hosts[one.plan.name]) for one in parts))
    secrets = SecretSources(wish.environment)
    if wish.is_isolated and not checkout.is_repository:
        report.add(
            codes.NO_REPOSITORY,
            "the config stands in no git repository: nothing there is committed or staged",
            at=parts[0].plan.span if parts else None,
            hint='leave --isolated out, or run "git init" and "git add" what belongs to it',
        )
    jobs = jobs_of(parts)
    wanted = {task: job for task, job in jobs.items() if wish.wants(job, asked)}
    for one in parts:
        for job in one.jobs:
            task = TaskId(one.plan.name, job.stage)
            if task not in wanted:
                continue
            script = scripts[task]
            secrets.check(script.credentials, job.id_tokens, report)
            _check_values(job, one.plan, script, hosts[one.plan.name], report)
            _check_services(job, wish, report)
    tokens = tuple(token for job in jobs.values() for token in job.id_tokens)
    credentials = tuple(credential for script in scripts.values() for credential in script.credentials)
    check_distinct_sources(credentials, report)
    redactor = secrets.redactor(credentials, tokens, also=wish.environment.get(names.REGISTRY_PASSWORD, ""))
    container_program = _program([(job, scripts[task]) for task, job in wanted.items()], wish, report)
    return Prepared(
        hosts=hosts,
        work={task: _work(script, jobs[task], secrets, redactor) for task, script in scripts.items()},
        environment=_environment(scripts.values(), tokens, container_program, wish),
        variables={
            **names.places(wish.environment),
            **names.input_values(parts[0].plan.inputs if parts else ()),
            **names.setup_values(
                chain.from_iterable(script.setup for script in scripts.values()),
                checkout,
                wish.started,
                wish.environment,
            ),
        },
        program=container_program,
        redactor=redactor,
    )


def jobs_of(parts: Iterable[SelectedPipeline]) -> dict[TaskId, Job]:
    """Return the jobs that may run."""
    return {TaskId(one.plan.name, job.stage): job for one in parts for job in one.jobs}


def _scripts(one: SelectedPipeline, host: ShellEnvironment) -> Iterator[tuple[TaskId, StageScript]]:
    producers = {job.stage: job for job in one.plan.jobs}
    for job in one.jobs:
        yield TaskId(one.plan.name, job.stage), stage_script(job, one.plan, producers, host)


def _work(script: StageScript, job: Job, secrets: SecretSources, redactor: Redactor) -> LocalTask:
    given = secrets.variables(script.credentials, job.id_tokens)
    password = secrets.given.get(names.REGISTRY_PASSWORD)
    if password is not None and names.REGISTRY_PASSWORD in f"{script.main}{script.after}":
        given[names.REGISTRY_PASSWORD] = password
    return LocalTask(script=script, secrets=given, files=secrets.files(script.credentials), redactor=redactor)


def _environment(
    scripts: Iterable[StageScript], tokens: Iterable[IdToken], container_program: str, wish: RunRequest
) -> dict[str, str]:
    """Return the variables around, without the secrets: only stages that ask for one get it."""
    hidden = {source for script in scripts for credential in script.credentials for source in sources(credential)}
    hidden |= {names.REGISTRY_PASSWORD, *(token.variable for token in tokens)}
    around = {name: value for name, value in wish.environment.items() if name not in hidden}
    return {**around, "DOCKER": container_program} if container_program else around


def _program(stages: Sequence[tuple[Job, StageScript]], wish: RunRequest, report: Report) -> str:
    """Return the program for containers, if one of *stages* needs one; that there is none is reported."""
    in_image = next((job for job, _ in stages if job.machine.image is not None and not wish.is_on_host), None)
    needing = in_image or next((job for job, script in stages if script.uses_containers), None)
    if needing is None:
        return ""
    here = program(wish.environment)
    image = needing.machine.image
    if here is not None and (error := engine_error(here, wish.environment)) is not None:
        report.add(
            codes.NO_CONTAINER_ENGINE,
            f'stage "{needing.title}" needs a container engine, and "{here}" reaches none: {visible(error)}',
            at=image.span if in_image is not None and image is not None else needing.span,
            hint="start the engine" + (", or run stages on this machine with --host" if in_image is not None else ""),
        )
    if here is None:
        report.add(
            codes.NO_CONTAINER_PROGRAM,
            f'stage "{needing.title}" needs docker or podman, and neither is on the PATH',
            at=image.span if in_image is not None and image is not None else needing.span,
            hint="install one of them, name one in the variable DOCKER, or run stages on this machine with --host"
            if in_image is not None
            else "install one of them, or name one in the variable DOCKER",
        )
    return here or ""


def _check_services(job: Job, wish: RunRequest, report: Report) -> None:
    if job.machine.services and (job.machine.image is None or wish.is_on_host):
        report.add(
            codes.SERVICES_LEFT_OUT,
            f'the services of stage "{job.title}" are not started: it runs on this machine, in no container',
            at=job.machine.services[0].span,
            hint="start them yourself where it looks for them"
            + ("" if wish.is_on_host else '; or name an image for the stage: "image: python:3.12"'),
        )


def _check_values(job: Job, plan: Plan, script: StageScript, host: ShellEnvironment, report: Report) -> None:
    """Report inputs that are not given, and setup values that no machine of a person has."""
    for one in plan.inputs:
        if one.name in script.inputs and one.default is None:
            report.add(
                codes.MISSING_INPUT,
                f'input "{one.name}" is not given, and stage "{job.title}" reads it',
                at=one.span,
                hint=f"give it: --set {one.name}=VALUE",
            )
    if all(host.setup(name) is not None for name in script.setup):
        return
    for text in found(Text, (job.steps, job.after, job.machine)):
        for reference in _bare(text):
            if reference.scope is Scope.SETUP and host.setup(reference.name) is None:
                report.add(
                    codes.ENGINE_HAS_NO_VALUE,
                    f'a run on this machine has no value for "{reference}"',
                    at=reference.span,
                    label="always empty there",
                    hint=f'give a default: "${{setup.{reference.name}|text}}"',
                )


def _bare(text: Text) -> Iterator[Reference]:
    """Yield the references in *text* for which no default stands in."""
    for part in text.parts:
        if isinstance(part, Reference) and part.default is None:
            yield part
        elif isinstance(part, Defaulted) and not part.default:
            yield from _bare(part.text)
