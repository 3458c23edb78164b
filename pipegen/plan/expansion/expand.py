"""A pipeline with each stage as it runs: a matrix replaced by its combinations, a call by the called pipeline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice, product

from pipegen.bindings.groups import are_linked
from pipegen.config.model import Config, PipelineConfig, StageConfig, StepValue
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, Stopped
from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.expansion.called_stage import inside
from pipegen.plan.expansion.calls import called, with_called
from pipegen.plan.expansion.combinations import combinations_of
from pipegen.plan.expansion.matrix_values import with_words
from pipegen.plan.expansion.size import MOST_ARCS, check_stages, report_arcs
from pipegen.plan.expansion.stop_stages import renamed_stop, stop_of
from pipegen.plan.graph import build_graph
from pipegen.source.tree import Node, Scalar
from pipegen.source.tree import Sequence as List
from pipegen.structs import Struct, replace


class PipelineSources(Struct):
    """The pipelines that are wanted, each after those that it calls, and the combinations of their matrix stages."""

    pipelines: tuple[PipelineConfig, ...]
    combinations: Mapping[str, Mapping[str, tuple[StageConfig, ...]]]

    @property
    def called(self) -> frozenset[str]:
        """The names of the pipelines that run in the places of stages."""
        calls = [stage for pipeline in self.pipelines for stage in pipeline.stages if stage.pipeline is not None]
        names = map(called, calls)
        return frozenset(name.value for name in names if name is not None)


class Expanded(Struct):
    """A pipeline whose stages are those that run, and their graph."""

    pipeline: PipelineConfig
    graph: ExecutionGraph


class _Members(Struct):
    """The stages that stand for one that the user wrote, the arcs among them, and the first and last of them."""

    stages: tuple[StageConfig, ...]
    arcs: tuple[tuple[str, str], ...]
    first: tuple[StageConfig, ...]
    last: tuple[StageConfig, ...]

    @classmethod
    def side_by_side(cls, *stages: StageConfig) -> _Members:
        """Return *stages* without arcs."""
        return cls(stages, (), stages, stages)


def read_stages(chosen: Sequence[PipelineConfig], config: Config, report: Report) -> PipelineSources:
    """Return what is needed to expand the pipelines *chosen*; a matrix or a call that cannot be is reported."""
    pipelines = with_called(chosen, config, report)
    combinations = {pipeline.name.value: combinations_of(pipeline, report) for pipeline in pipelines}
    check_stages(pipelines, combinations, report)
    return PipelineSources(pipelines, combinations)


def expand_stages(written: PipelineSources, chosen: Sequence[PipelineConfig], report: Report) -> tuple[Expanded, ...]:
    """Return each *chosen* pipeline with the stages that run; what is wrong with its graph is reported."""
    found: dict[str, Expanded] = {}
    for pipeline in written.pipelines:
        found[pipeline.name.value] = _expanded(pipeline, written.combinations[pipeline.name.value], found, report)
    return tuple(found[pipeline.name.value] for pipeline in chosen)


def with_stages(pipelines: Sequence[Expanded], report: Report) -> tuple[Expanded, ...]:
    """Return *pipelines* without those that hold no stage, which are reported."""
    for one in pipelines:
        if not one.pipeline.stages:
            report.add(
                codes.NO_STAGES,
                f'pipeline "{one.pipeline.name.value}" has no stages, and is left out',
                at=one.pipeline.name.span,
                hint="give it a stage, or remove it",
            )
    return tuple(one for one in pipelines if one.pipeline.stages)


def _expanded(
    pipeline: PipelineConfig,
    combinations: Mapping[str, tuple[StageConfig, ...]],
    known: Mapping[str, Expanded],
    report: Report,
) -> Expanded:
    graph = build_graph(pipeline, report)
    if not combinations and all(stage.pipeline is None for stage in pipeline.stages):
        return Expanded(replace(pipeline, stages=tuple(with_words(stage, report) for stage in pipeline.stages)), graph)
    members: dict[str, _Members] = {}
    for stage in pipeline.stages:
        members.setdefault(stage.name.value, _members(stage, combinations, known, report))
    _check_unique(members, pipeline, report)
    stages = tuple(_stopping(stage, members, report) for one in members.values() for stage in one.stages)
    finally_ = _last(pipeline.finally_, members, report) if pipeline.finally_ is not None else None
    whole = _graph(graph, members)
    if whole is None:
        report_arcs(pipeline, report)
        raise Stopped
    return Expanded(replace(pipeline, stages=stages, finally_=finally_), whole)


def _members(
    stage: StageConfig,
    combinations: Mapping[str, tuple[StageConfig, ...]],
    known: Mapping[str, Expanded],
    report: Report,
) -> _Members:
    """Return what stands for *stage*."""
    name = called(stage)
    if name is None:
        found = combinations.get(stage.name.value, (stage,))
        return _Members.side_by_side(*(with_words(one, report) for one in found))
    callee = known[name.value]
    stages = {one.name.value: inside(one, stage, callee.pipeline) for one in callee.pipeline.stages}
    graph = callee.graph
    return _Members(
        tuple(stages.values()),
        tuple((stages[earlier].name.value, stages[later].name.value) for earlier, later in graph.arcs),
        tuple(stages[one] for one in graph.roots),
        tuple(stages[one] for one in graph.leaves),
    )


def _graph(graph: ExecutionGraph, members: Mapping[str, _Members]) -> ExecutionGraph | None:
    """Return *graph* with its *members* in the place of each stage; None where that makes too many arcs."""
    nodes = ((stage.name.value,) for name in graph.nodes for stage in members[name].stages)
    inner = (arc for name in graph.nodes for arc in members[name].arcs)
    arcs = list(islice(chain(inner, _between(graph, members)), MOST_ARCS + 1))
    return ExecutionGraph(chain(nodes, arcs)) if len(arcs) <= MOST_ARCS else None


def _between(graph: ExecutionGraph, members: Mapping[str, _Members]) -> Iterator[tuple[str, str]]:
    for earlier, later in graph.arcs:
        for one, other in product(members[earlier].last, members[later].first):
            if are_linked(one, other):
                yield one.name.value, other.name.value


def _stopping(stage: StageConfig, members: Mapping[str, _Members], report: Report) -> StageConfig:
    """Return *stage*, whose environment names the stage that takes it down, with the one that this is here."""
    name = stop_of(stage)
    if name is None or name.value not in members or stage.within:
        return stage
    found = [one for one in members[name.value].stages if are_linked(one, stage)]
    if len(found) == 1:
        return renamed_stop(stage, found[0].name.value)
    report.add(
        codes.AMBIGUOUS_STOP,
        f'one stage takes an environment down, and "{name.value}" is {len(found)} stages',
        at=name.span,
        also=[Label(found[0].name.span, "stands for several")] if found else [],
        hint=f'give "{name.value}" the combinations of this stage: "matrix: {{from: {stage.said}}}"'
        if stage.combination is not None
        else "name a stage that is one",
    )
    return stage


def _last(finally_: StepValue, members: Mapping[str, _Members], report: Report) -> StepValue:
    """Return *finally_* with the stages that run in the places of those it names."""
    items: list[Node] = []
    for item in finally_.node.items if isinstance(finally_.node, List) else ():
        found = members.get(item.text) if isinstance(item, Scalar) else None
        if found is None or not isinstance(item, Scalar):
            items.append(item)
            continue
        if any(stage.within for stage in found.stages):
            report.add(
                codes.CALLED_PIPELINE,
                f'another pipeline runs in the place of stage "{item.text}", and stages of "finally" have no order',
                at=item.span,
                hint="name stages of this pipeline",
            )
        items += (Scalar(stage.name.value, item.span) for stage in found.stages)
    return replace(finally_, node=List(tuple(items), finally_.node.span))


def _check_unique(members: Mapping[str, _Members], pipeline: PipelineConfig, report: Report) -> None:
    """Report a stage that is named as one of a called pipeline comes to be named here."""
    given: dict[str, StageConfig] = {}
    for one in members.values():
        for stage in one.stages:
            first = given.setdefault(stage.name.value, stage)
            if first is not stage:
                report.add(
                    codes.DUPLICATE_STAGE,
                    f'pipeline "{pipeline.name.value}" has two stages named "{stage.name.value}"',
                    at=stage.name.span,
                    label="second",
                    also=[Label(first.name.span, "first")],
                    hint="rename one of them; those of a called pipeline are named after the stage that calls it",
                )
