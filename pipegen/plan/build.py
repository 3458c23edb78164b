"""A pipeline, its graph and its bindings to the plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pipegen.bindings.budget import Budget
from pipegen.bindings.names import bound_names, check_names
from pipegen.bindings.namespaces import Namespaces
from pipegen.config.model import PipelineConfig, StageConfig, StepValue
from pipegen.diagnostics.report import Report
from pipegen.graph.closure import Closure
from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.absence import Absence
from pipegen.plan.consumers import inputs_of
from pipegen.plan.files.retention import check_excluded
from pipegen.plan.finally_stages import final_stages
from pipegen.plan.forwarding import KnownValues
from pipegen.plan.jobs import StageOrder, StagePlan, directory_of, jobs
from pipegen.plan.model import (
    FetchOptions,
    Limits,
    Mail,
    Plan,
    Schedule,
    Workspace,
)
from pipegen.plan.model.texts import stage_texts
from pipegen.plan.runs.concurrency import concurrency, with_interruptible
from pipegen.plan.runs.parameters import Parameters
from pipegen.plan.runs.selection import selection
from pipegen.plan.stage.checks import check_directory
from pipegen.plan.stage.conditions import condition
from pipegen.plan.stage.deployments import check_finals
from pipegen.plan.stage.images import check_image
from pipegen.plan.stage.limits import check_mail, fails_fast, limits
from pipegen.plan.stage.machine import machine
from pipegen.plan.stage.mail import mail
from pipegen.plan.stage.post_actions import after
from pipegen.plan.stage.secrets import secrets
from pipegen.plan.stage.settings import surroundings
from pipegen.plan.stage.steps import steps
from pipegen.plan.values import StageValues, values_of
from pipegen.structs import Struct, replace


class FileContext(Struct):
    """What a pipeline must know of the file it stands in.

    *homes* are the pipelines that hold a stage of each name; *called* those that others run in the places of
    stages; *several* says that more than one is not. The values of all share a *budget*.
    """

    homes: Mapping[str, tuple[str, ...]]
    several: bool
    called: frozenset[str]
    slugs: Mapping[str, str]
    folder: str
    parameters: Parameters
    budget: Budget


def build_plan(pipeline: PipelineConfig, graph: ExecutionGraph, around: FileContext, report: Report) -> Plan:
    """Return the plan of *pipeline*; *graph* has no cycle. Wrong bindings and values are reported."""
    check_directory(pipeline.directory, report)
    check_finals(pipeline, report)
    namespaces = _namespaces(pipeline, around)
    runs = condition(pipeline.when, around.parameters, around.homes, report)
    closure = graph.closure()
    work = _work(pipeline, closure, (*graph.topological(), *namespaces.final), namespaces, around, report)
    frames = graph.stack()
    made = jobs(work, pipeline.name.value, StageOrder(graph, closure, frames), namespaces, around.slugs, report)
    check_excluded(made, report)
    return Plan(
        name=pipeline.name.value,
        span=pipeline.name.span,
        graph=graph,
        frames=frames,
        jobs=made,
        fetch=_fetch(pipeline),
        workspace=Workspace(pipeline.workspace.value) if pipeline.workspace else Workspace.ISOLATED,
        workspace_span=pipeline.workspace.span if pipeline.workspace else None,
        selection=selection(
            made,
            several=around.several,
            has_condition=pipeline.when is not None,
            is_called=pipeline.name.value in around.called,
        ),
        folder=around.folder,
        is_fail_fast=fails_fast(pipeline),
        fail_fast_span=pipeline.fail_fast.span if pipeline.fail_fast else None,
        inputs=around.parameters.at_run_time,
        schedules=_schedules(pipeline.schedule, report),
        concurrency=concurrency(pipeline.concurrency),
        condition=runs,
    )


def _schedules(value: StepValue | None, report: Report) -> tuple[Schedule, ...]:
    if value is None:
        return ()
    from pipegen.plan.runs.schedules import schedules  # noqa: PLC0415 - for pipelines that run by the clock

    return schedules(value, report)


def check_values(pipeline: PipelineConfig, graph: ExecutionGraph, around: FileContext, report: Report) -> None:
    """Report wrong bindings and values of a *pipeline* that has no plan since its *graph* has a cycle."""
    check_directory(pipeline.directory, report)
    namespaces = _namespaces(pipeline, around)
    _work(pipeline, graph.closure(), (*graph.nodes, *namespaces.final), namespaces, around, report)


def _namespaces(pipeline: PipelineConfig, around: FileContext) -> Namespaces:
    stages: dict[str, StageConfig] = {}
    for stage in pipeline.stages:
        stages.setdefault(stage.name.value, stage)
    bound = {name: bound_names(stage) for name, stage in stages.items()}
    final = {name: span for name, span in final_stages(pipeline).items() if name in stages}
    return Namespaces(stages, bound, around.homes, around.parameters.names, final)


def _work(
    pipeline: PipelineConfig,
    closure: Closure,
    order: Sequence[str],
    namespaces: Namespaces,
    around: FileContext,
    report: Report,
) -> dict[str, StagePlan]:
    """Return what each stage does, taken in *order*: ancestors come first, so that their exports are known."""
    work: dict[str, StagePlan] = {}
    absence = _absence(namespaces, around, report)
    namespaces = replace(namespaces, absence=absence.cause)
    forwarded = KnownValues(pipeline.name.value, namespaces.stages, around.parameters, absence.is_certain)
    for name in order:
        stage = namespaces.stages[name]
        check_names(stage, namespaces.bound[name], report)
        check_directory(stage.directory, report)
        values = values_of(stage, namespaces, closure, forwarded.known, around.budget, report)
        where = machine(stage, values)
        found, bounds = steps(stage, pipeline, values, forwarded), limits(stage, report)
        directory = directory_of(stage, pipeline)
        beside = surroundings(stage, directory, values)
        found = (*found, *beside.kept.at_run_time)
        absence.check_made(name, found, report)
        check_image(stage, found, report)
        given = secrets(stage, found, report)
        later, told = after(stage, found, values), _mail(stage, pipeline, values, bounds)
        work[name] = StagePlan(
            stage=stage,
            directory=directory,
            steps=found,
            beside=beside,
            machine=where,
            secrets=given,
            after=later,
            mail=told,
            inputs=inputs_of(name, stage_texts(name, found, later, where, beside.deployment.environment, told)),
            reads=values.reads(),
            limits=with_interruptible(bounds, stage),
            statuses=tuple(values.statuses),
            condition=absence.conditions.get(name),
        )
    return work


def _mail(stage: StageConfig, pipeline: PipelineConfig, values: StageValues, bounds: Limits) -> Mail | None:
    """Return the mail for *stage*; none where each of its failures is allowed."""
    found = mail(stage, pipeline, values)
    check_mail(stage, bounds.allow_failure, values.report)
    return None if bounds.allow_failure is not None and not bounds.allow_failure.exit_codes else found


def _absence(namespaces: Namespaces, around: FileContext, report: Report) -> Absence:
    stages = namespaces.stages
    given = {name: stage.when for name, stage in stages.items() if stage.when is not None}
    found = {name: condition(when, around.parameters, around.homes, report) for name, when in given.items()}
    conditions = {name: one for name, one in found.items() if one is not None}
    return Absence(stages, conditions, namespaces.final)


def _fetch(pipeline: PipelineConfig) -> FetchOptions | None:
    fetch = pipeline.fetch
    if fetch is None:
        return None
    return FetchOptions(depth=fetch.depth if fetch.shallow else None, submodules=fetch.submodules, tags=fetch.tags)
