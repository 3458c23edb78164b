"""A pipeline, its graph and its bindings to the plan."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from posixpath import normpath

from pipegen.bindings.expression import Text
from pipegen.bindings.groups import Groups
from pipegen.bindings.names import bound_names, check_names, providers
from pipegen.bindings.scope import Namespaces
from pipegen.config.model import Pipeline, Stage
from pipegen.diagnostics.report import Report
from pipegen.graph.closure import Closure
from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.absence import Absence
from pipegen.plan.after import after
from pipegen.plan.artifacts import Offered, wanted_files
from pipegen.plan.checks import check_directory
from pipegen.plan.concurrency import concurrency, with_interruptible
from pipegen.plan.conditions import condition
from pipegen.plan.files import artifacts, check_conflicts, meetings, reads_files
from pipegen.plan.final import final_stages
from pipegen.plan.forward import Forwarded
from pipegen.plan.gates import check_finals, stopping
from pipegen.plan.images import check_image
from pipegen.plan.inputs import containers_of, expanded_outputs, inputs_of, shared
from pipegen.plan.keeping import check_excluded
from pipegen.plan.limits import check_mail, fails_fast, limits
from pipegen.plan.machine import machine
from pipegen.plan.mail import mail
from pipegen.plan.model import (
    Artifact,
    Condition,
    Fetch,
    Job,
    Leg,
    Limits,
    Line,
    Machine,
    Mail,
    Output,
    Plan,
    Shared,
    Step,
    Workspace,
)
from pipegen.plan.model.texts import environment_texts, line_texts, machine_texts, mail_texts, step_texts
from pipegen.plan.parameters import Parameters
from pipegen.plan.schedules import schedules
from pipegen.plan.secrets import Secrets, secrets
from pipegen.plan.selection import selection
from pipegen.plan.steps import steps
from pipegen.plan.surroundings import Surroundings, surroundings
from pipegen.plan.values import Values, values_of


@dataclass(frozen=True, kw_only=True, slots=True)
class _Work:
    """What one stage does, before it is known what others want of it."""

    stage: Stage
    steps: tuple[Step, ...]
    mail: Mail | None
    beside: Surroundings
    machine: Machine
    secrets: Secrets
    after: tuple[Line, ...]
    reads: tuple[Output, ...]
    limits: Limits
    statuses: tuple[str, ...]
    condition: Condition | None

    def texts(self) -> Iterator[Text]:
        """Yield all that may read values."""
        for step in self.steps:
            yield from step_texts(step, self.stage.name.value)
        yield from line_texts(self.after)
        yield from machine_texts(self.machine)
        if self.beside.gate.environment is not None:
            yield from environment_texts(self.beside.gate.environment)
        if self.mail is not None:
            yield from mail_texts(self.mail)


@dataclass(frozen=True, slots=True)
class Neighbours:
    """What a pipeline must know of the file it stands in.

    *homes* are the pipelines that hold a stage of each name; *called* those that others run in the places of
    stages; *several* says that more than one is not.
    """

    homes: Mapping[str, tuple[str, ...]]
    several: bool
    called: frozenset[str]
    slugs: Mapping[str, str]
    folder: str
    parameters: Parameters


@dataclass(frozen=True, slots=True)
class Ancestors:
    """The stages that run before *stage*, asked one by one."""

    closure: Closure
    stage: str

    def __contains__(self, other: object) -> bool:
        # A stage that stands in no arc runs before nothing.
        return isinstance(other, str) and other in self.closure.places and self.closure.is_before(other, self.stage)


def build_plan(pipeline: Pipeline, graph: ExecutionGraph, around: Neighbours, report: Report) -> Plan:
    """Return the plan of *pipeline*; *graph* has no cycle. Wrong bindings and values are reported."""
    check_directory(pipeline.directory, report)
    check_finals(pipeline, report)
    namespaces = _namespaces(pipeline, around)
    runs = condition(pipeline.when, around.parameters, around.homes, report)
    closure = graph.closure()
    work = _work(pipeline, closure, (*graph.topological(), *namespaces.final), namespaces, around, report)
    frames = graph.stack()
    jobs = _jobs(pipeline, graph, closure, work, namespaces, around, frames, report)
    check_excluded(jobs, report)
    return Plan(
        name=pipeline.name.value,
        span=pipeline.name.span,
        graph=graph,
        frames=frames,
        jobs=jobs,
        fetch=_fetch(pipeline),
        workspace=Workspace(pipeline.workspace.value) if pipeline.workspace else Workspace.ISOLATED,
        workspace_span=pipeline.workspace.span if pipeline.workspace else None,
        selection=selection(
            jobs,
            several=around.several,
            has_condition=pipeline.when is not None,
            is_called=pipeline.name.value in around.called,
        ),
        folder=around.folder,
        is_fail_fast=fails_fast(pipeline),
        fail_fast_span=pipeline.fail_fast.span if pipeline.fail_fast else None,
        inputs=around.parameters.at_run_time,
        schedules=schedules(pipeline.schedule, report),
        concurrency=concurrency(pipeline.concurrency),
        condition=runs,
    )


def check_values(pipeline: Pipeline, graph: ExecutionGraph, around: Neighbours, report: Report) -> None:
    """Report wrong bindings and values of a *pipeline* that has no plan since its *graph* has a cycle."""
    check_directory(pipeline.directory, report)
    namespaces = _namespaces(pipeline, around)
    _work(pipeline, graph.closure(), (*graph.nodes, *namespaces.final), namespaces, around, report)


def _namespaces(pipeline: Pipeline, around: Neighbours) -> Namespaces:
    stages: dict[str, Stage] = {}
    for stage in pipeline.stages:
        stages.setdefault(stage.name.value, stage)
    bound = {name: bound_names(stage) for name, stage in stages.items()}
    final = {name: span for name, span in final_stages(pipeline).items() if name in stages}
    groups = Groups.of(pipeline.stages)
    return Namespaces(stages, bound, providers(bound), around.homes, groups, around.parameters.names, final)


def _work(
    pipeline: Pipeline,
    closure: Closure,
    order: Sequence[str],
    namespaces: Namespaces,
    around: Neighbours,
    report: Report,
) -> dict[str, _Work]:
    """Return what each stage does, taken in *order*: ancestors come first, so that their exports are known."""
    work: dict[str, _Work] = {}
    absence = _absence(namespaces, around, report)
    namespaces = replace(namespaces, absence=absence.cause)
    names = {name: stage.own_name for name, stage in namespaces.stages.items()}
    forwarded = Forwarded(pipeline.name.value, names, around.parameters, absence.is_certain)
    for name in order:
        stage = namespaces.stages[name]
        check_names(stage, namespaces.bound[name], report)
        check_directory(stage.directory, report)
        values = values_of(stage, namespaces, closure, forwarded.known, report)
        where = machine(stage, values)
        found, bounds = steps(stage, pipeline, values, forwarded), limits(stage, report)
        beside = surroundings(stage, _directory(stage, pipeline), values)
        found = (*found, *beside.kept.at_run_time)
        absence.check_made(name, found, report)
        check_image(stage, found, report)
        work[name] = _Work(
            stage=stage,
            steps=found,
            beside=beside,
            machine=where,
            secrets=secrets(stage, found, report),
            after=after(stage, found, values),
            mail=_mail(stage, pipeline, values, bounds),
            reads=values.reads(),
            limits=with_interruptible(bounds, stage),
            statuses=tuple(values.statuses),
            condition=absence.conditions.get(name),
        )
    return work


def _mail(stage: Stage, pipeline: Pipeline, values: Values, bounds: Limits) -> Mail | None:
    """Return the mail for *stage*; none where each of its failures is allowed."""
    found = mail(stage, pipeline, values)
    check_mail(stage, bounds.allow_failure, values.report)
    return None if bounds.allow_failure is not None and not bounds.allow_failure.exit_codes else found


def _absence(namespaces: Namespaces, around: Neighbours, report: Report) -> Absence:
    stages = namespaces.stages
    found = {name: condition(stage.when, around.parameters, around.homes, report) for name, stage in stages.items()}
    conditions = {name: one for name, one in found.items() if one is not None}
    return Absence(stages, conditions, namespaces.final)


def _jobs(
    pipeline: Pipeline,
    graph: ExecutionGraph,
    closure: Closure,
    work: Mapping[str, _Work],
    namespaces: Namespaces,
    around: Neighbours,
    frames: Sequence[Sequence[str]],
    report: Report,
) -> tuple[Job, ...]:
    frame_of = {stage: number for number, frame in enumerate(frames) for stage in frame}
    inputs = {name: inputs_of(name, one.texts()) for name, one in work.items()}
    wanted = set(chain.from_iterable(inputs.values()))
    outliving = shared(inputs, {name: one.steps for name, one in work.items()})
    directories = {name: _directory(one.stage, pipeline) for name, one in work.items()}
    left = {name: found for name, one in work.items() if (found := _left(one, directories[name]))}
    left_before = {name: found for name, found in left.items() if name not in namespaces.final}
    met = meetings(left_before, closure)
    jobs = []
    for name in (name for name in namespaces.stages if name in work):
        one = work[name]
        binds = tuple(bound.name for bound in namespaces.bound[name][1:])
        is_final = name in namespaces.final
        ancestors = closure.places if is_final else Ancestors(closure, name)
        offered = Offered(namespaces.groups, left_before, ancestors, namespaces.final)
        files = _files(one, inputs[name], offered, report)
        check_conflicts(set(files), met.conflicts, namespaces.stages, report)
        jobs.append(
            Job(
                stage=name,
                pipeline=pipeline.name.value,
                slug=around.slugs[name],
                span=one.stage.name.span,
                frame=frame_of.get(name),
                needs=() if is_final else graph.predecessors(name),
                reads=one.reads,
                binds=binds,
                inputs=inputs[name],
                outputs=tuple(bound for bound in binds if Output(name, bound) in wanted),
                files=files,
                artifacts=(*met.marked(name, left.get(name, ())), *_only_for_people(one)),
                directory=directories[name],
                steps=one.steps,
                mail=one.mail,
                shared=outliving.get(name, Shared()),
                containers=containers_of(name, one.steps),
            )
        )
    named = expanded_outputs(one.machine for one in work.values())
    return stopping([_with_surroundings(job, work[job.stage], named) for job in jobs], report)


def _with_surroundings(job: Job, work: _Work, named: Container[Output]) -> Job:
    """Return *job* with what its stage says beside its steps."""
    leg = work.stage.leg
    return replace(
        work.beside.around(job),
        leg=Leg(f"{work.stage.within}{leg.stage}", leg.values) if leg is not None else None,
        is_final=job.frame is None,
        statuses=work.statuses,
        limits=work.limits,
        condition=work.condition,
        machine=work.machine,
        secrets=work.secrets.credentials,
        id_tokens=work.secrets.id_tokens,
        after=work.after,
        expanded=tuple(name for name in job.outputs if Output(job.stage, name) in named),
    )


def _directory(stage: Stage, pipeline: Pipeline) -> str:
    directory = stage.directory or pipeline.directory
    return normpath(directory.value) if directory else "."


def _left(work: _Work, directory: str) -> tuple[Artifact, ...]:
    """Return the files that a stage leaves for others: those that it says, and what its steps copy."""
    found = {one.path: one for one in artifacts(work.steps, directory)}
    return tuple((found | {one.path: one for one in work.beside.kept.artifacts if one.travels}).values())


def _only_for_people(work: _Work) -> tuple[Artifact, ...]:
    return tuple(one for one in work.beside.kept.artifacts if not one.travels)


def _files(work: _Work, inputs: Sequence[Output], offered: Offered, report: Report) -> tuple[str, ...]:
    """Return the stages whose files a job gets: all ancestors' when it reads files, else of those it reads from.

    A finally stage has no ancestors: it gets the files of those that it names.
    """
    wanted = wanted_files(work.stage, offered, inputs, report)
    if wanted is not None:
        return wanted
    is_final = work.stage.name.value in offered.final
    takes_all = (reads_files(work.steps) or work.after) and not is_final
    sources = offered.ancestors if takes_all else {output.stage for output in inputs}
    return tuple(stage for stage in offered.left if stage in sources)


def _fetch(pipeline: Pipeline) -> Fetch | None:
    fetch = pipeline.fetch
    if fetch is None:
        return None
    return Fetch(depth=fetch.depth if fetch.shallow else None, submodules=fetch.submodules, tags=fetch.tags)
