"""The plan of a pipeline, built from its config, graph and bindings."""

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
from pipegen.plan.files.retention import check_replacements
from pipegen.plan.finally_stages import check_final_approvals, final_stages
from pipegen.plan.forwarding import NO_EXPORTS, Forwarded, KnownValues
from pipegen.plan.jobs import StageOrder, jobs
from pipegen.plan.model import (
    Concurrency,
    FetchOptions,
    Plan,
    Workspace,
)
from pipegen.plan.runs.parameters import Parameters
from pipegen.plan.runs.schedules import schedules
from pipegen.plan.runs.selection import selection
from pipegen.plan.stage.checks import check_directory
from pipegen.plan.stage.conditions.condition import condition
from pipegen.plan.stage.fetch import submodules_of
from pipegen.plan.stage.limits import fails_fast, time_limit
from pipegen.plan.stage_plan import StagePlan, stage_plan
from pipegen.plan.values import values_of
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Scalar, child, is_true
from pipegen.structs import Struct, replace


class FileContext(Struct):
    """The parts of a file that each of its pipelines needs to know.

    *homes* maps a stage name to the pipelines that have such a stage, *called* holds the pipelines that run in place of
    a stage, and *several* is whether more than one is not called. All values share a *budget*.
    """

    homes: Mapping[str, tuple[str, ...]]
    several: bool
    called: frozenset[str]
    slugs: Mapping[str, str]
    folder: str
    parameters: Parameters
    budget: Budget


def build_plan(pipeline: PipelineConfig, graph: ExecutionGraph, context: FileContext, report: Report) -> Plan:
    """Return the plan of *pipeline*, whose *graph* has no cycle. Invalid bindings and values are reported."""
    check_directory(pipeline.directory, report)
    check_final_approvals(pipeline, report)
    namespaces = _namespaces(pipeline, context)
    pipeline_condition = condition(pipeline.when, context.parameters, context.homes, report)
    closure = graph.closure()
    work = _work(pipeline, closure, (*graph.topological(), *namespaces.final), namespaces, context, report)
    frames = graph.stack()
    is_called = pipeline.name.value in context.called
    pipeline_jobs = jobs(
        work, pipeline.name.value, StageOrder(graph, closure, frames), namespaces, context.slugs, report
    )
    check_replacements(pipeline_jobs, report)
    return Plan(
        name=pipeline.name.value,
        span=pipeline.name.span,
        graph=graph,
        frames=frames,
        jobs=pipeline_jobs,
        fetch=_fetch(pipeline),
        workspace=Workspace(pipeline.workspace.value) if pipeline.workspace else Workspace.ISOLATED,
        workspace_span=pipeline.workspace.span if pipeline.workspace else None,
        selection=selection(
            pipeline_jobs,
            several=context.several,
            has_condition=pipeline.when is not None,
            is_called=is_called,
        ),
        is_called=is_called,
        folder=context.folder,
        is_fail_fast=fails_fast(pipeline),
        fail_fast_span=pipeline.fail_fast.span if pipeline.fail_fast else None,
        inputs=context.parameters.at_run_time,
        schedules=schedules(pipeline.schedule, report),
        concurrency=_concurrency(pipeline.concurrency),
        timeout=time_limit(pipeline.timeout, "pipeline", report),
        condition=pipeline_condition,
    )


def check_values(pipeline: PipelineConfig, graph: ExecutionGraph, context: FileContext, report: Report) -> None:
    """Report invalid bindings and values of a *pipeline* whose *graph* has a cycle, so that it has no plan."""
    check_directory(pipeline.directory, report)
    namespaces = _namespaces(pipeline, context)
    _work(pipeline, graph.closure(), (*graph.nodes, *namespaces.final), namespaces, context, report)


def _namespaces(pipeline: PipelineConfig, context: FileContext) -> Namespaces:
    stages: dict[str, StageConfig] = {}
    for stage in pipeline.stages:
        stages.setdefault(stage.name.value, stage)
    bound = {name: bound_names(stage) for name, stage in stages.items()}
    final = {name: span for name, span in final_stages(pipeline).items() if name in stages}
    return Namespaces(stages, bound, context.homes, context.parameters.names, final)


def _work(
    pipeline: PipelineConfig,
    closure: Closure,
    order: Sequence[str],
    namespaces: Namespaces,
    context: FileContext,
    report: Report,
) -> dict[str, StagePlan]:
    """Return what each stage does, in *order*: ancestors first, so that their exports are known."""
    work: dict[str, StagePlan] = {}
    absence = _absence(namespaces, context, report)
    namespaces = replace(namespaces, absence=absence.cause)

    def exports(stage: str) -> Forwarded:
        return work[stage].forwarded if stage in work else NO_EXPORTS

    known = KnownValues(
        pipeline=pipeline.name.value, stages=namespaces.stages, parameters=context.parameters, exports=exports
    )
    for name in order:
        stage = namespaces.stages[name]
        check_names(stage, namespaces.bound[name], report)
        values = values_of(stage, namespaces, closure, known, context.budget, report)
        work[name] = stage_plan(stage, pipeline, values, absence)
    return work


def _absence(namespaces: Namespaces, context: FileContext, report: Report) -> Absence:
    stages = namespaces.stages
    whens = {name: stage.when for name, stage in stages.items() if stage.when is not None}
    # Combinations of a matrix and stages with one template share a node; aliases of it have keys of their own.
    places = {name: (id(when.node), when.span.start) for name, when in whens.items()}
    by_place = {places[name]: when for name, when in whens.items()}
    parsed = {place: condition(when, context.parameters, context.homes, report) for place, when in by_place.items()}
    conditions = {name: found for name, place in places.items() if (found := parsed[place]) is not None}
    return Absence(stages, conditions, namespaces.final)


def _fetch(pipeline: PipelineConfig) -> FetchOptions | None:
    fetch = pipeline.fetch
    if fetch is None:
        return None
    return FetchOptions(
        depth=fetch.depth if fetch.shallow else None,
        submodules=submodules_of(fetch.submodules),
        tags=fetch.tags,
        submodule_depth=fetch.submodule_depth,
        clone=fetch.clone,
        path=fetch.path,
    )


def _concurrency(value: StepValue | None) -> Concurrency | None:
    """Return the settings of `concurrency`, the name of a group or a map; None without it."""
    if value is None:
        return None
    body = value.node
    group = body.get("group") if isinstance(body, TreeMapping) else body
    cancel = child(body, "cancel")
    return Concurrency(
        group=(group.text or None) if isinstance(group, Scalar) else None,
        cancels=is_true(cancel),
        span=value.span,
    )
