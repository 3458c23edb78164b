"""A pipeline with its stages as they run: matrices replaced by combinations, calls by the called pipelines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice, product

from pipegen.bindings.combinations import selected_stages
from pipegen.bindings.groups import are_linked
from pipegen.config.model import Arc, Config, PipelineConfig, StageConfig, StageName, StepValue
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, Stopped
from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.cycles import Step, report_cycles
from pipegen.plan.expansion.called_stage import stage_in_caller
from pipegen.plan.expansion.calls import called, with_called
from pipegen.plan.expansion.combinations import combinations_of
from pipegen.plan.expansion.matrix_values import with_axis_values
from pipegen.plan.expansion.optional_stages import without_optional_waits
from pipegen.plan.expansion.size import MOST_ARCS, check_stages, report_arcs
from pipegen.plan.expansion.stop_stages import renamed_stop, stop_of
from pipegen.plan.graph import build_graph
from pipegen.source.text import Span
from pipegen.source.tree import Node, Scalar, items_of
from pipegen.source.tree import Sequence as List
from pipegen.structs import Struct, replace


class PipelineSources(Struct):
    """The chosen and called pipelines, each after the ones that it calls, and their matrix combinations."""

    pipelines: tuple[PipelineConfig, ...]
    combinations: Mapping[str, Mapping[str, tuple[StageConfig, ...]]]

    @property
    def called(self) -> frozenset[str]:
        """The names of the pipelines that stages run."""
        calls = [stage for pipeline in self.pipelines for stage in pipeline.stages if stage.pipeline is not None]
        names = map(called, calls)
        return frozenset(name.value for name in names if name is not None)


class Expanded(Struct):
    """A pipeline with its expanded stages, and their graph."""

    pipeline: PipelineConfig
    graph: ExecutionGraph


class _Expansion(Struct):
    """The stages that replace one stage of the user, the arcs between them, and the first and last of them."""

    stages: tuple[StageConfig, ...]
    arcs: tuple[tuple[str, str], ...]
    first: tuple[StageConfig, ...]
    last: tuple[StageConfig, ...]

    @classmethod
    def side_by_side(cls, *stages: StageConfig) -> _Expansion:
        """Return *stages* without arcs."""
        return cls(stages, (), stages, stages)


def read_stages(chosen: Sequence[PipelineConfig], config: Config, report: Report) -> PipelineSources:
    """Return the sources of the pipelines *chosen*; invalid matrices and calls are reported."""
    pipelines = with_called(chosen, config, report)
    combinations = {pipeline.name.value: combinations_of(pipeline, report) for pipeline in pipelines}
    check_stages(pipelines, combinations, report)
    return PipelineSources(pipelines, combinations)


def expand_stages(sources: PipelineSources, chosen: Sequence[PipelineConfig], report: Report) -> tuple[Expanded, ...]:
    """Return each *chosen* pipeline with its expanded stages; errors in its graph are reported."""
    expanded: dict[str, Expanded] = {}
    for pipeline in sources.pipelines:
        expanded[pipeline.name.value] = _expanded(pipeline, sources.combinations[pipeline.name.value], expanded, report)
    return tuple(_released(expanded[pipeline.name.value]) for pipeline in chosen)


def with_stages(pipelines: Sequence[Expanded], report: Report) -> tuple[Expanded, ...]:
    """Return *pipelines* without the ones that have no stages, which are reported."""
    for expanded in pipelines:
        if not expanded.pipeline.stages:
            report.add(
                codes.NO_STAGES,
                f'pipeline "{expanded.pipeline.name.value}" has no stages and is ignored',
                at=expanded.pipeline.name.span,
                hint="give it a stage, or remove it",
            )
    return tuple(expanded for expanded in pipelines if expanded.pipeline.stages)


def _released(expanded: Expanded) -> Expanded:
    """Return *expanded* without waits for optional stages."""
    stops = {stage.name.value: stop_of(stage) for stage in expanded.pipeline.stages if stage.is_optional}
    optional = {stage: stop.value if stop is not None else None for stage, stop in stops.items()}
    return replace(expanded, graph=without_optional_waits(expanded.graph, optional))


def _expanded(
    pipeline: PipelineConfig,
    combinations: Mapping[str, tuple[StageConfig, ...]],
    callees: Mapping[str, Expanded],
    report: Report,
) -> Expanded:
    order = build_graph(pipeline, report)
    graph, selections = order.graph, order.selections
    if not combinations and not selections and all(stage.pipeline is None for stage in pipeline.stages):
        return Expanded(
            replace(pipeline, stages=tuple(with_axis_values(stage, report) for stage in pipeline.stages)), graph
        )
    expansions: dict[str, _Expansion] = {}
    for stage in pipeline.stages:
        expansions.setdefault(stage.name.value, _expansion(stage, combinations, callees, report))
    _check_unique(expansions, pipeline, report)
    stages = tuple(
        _stopping(stage, expansions, report) for expansion in expansions.values() for stage in expansion.stages
    )
    finally_ = _last(pipeline.finally_, expansions, report) if pipeline.finally_ is not None else None
    by_name = {stage.name.value: stage for stage in reversed(pipeline.stages)}
    selected = {
        written: _selected(name, by_name[name.value], expansions[name.value], report)
        for written, name in selections.items()
    }
    expanded_graph = _graph(graph, expansions, selected)
    if expanded_graph is None:
        report_arcs(pipeline, report)
        raise Stopped
    if selected and not graph.cycles():
        _check_cycles(expanded_graph, order.arcs, expansions, selected, report)
    return Expanded(replace(pipeline, stages=stages, finally_=finally_), expanded_graph)


def _expansion(
    stage: StageConfig,
    combinations: Mapping[str, tuple[StageConfig, ...]],
    callees: Mapping[str, Expanded],
    report: Report,
) -> _Expansion:
    """Return the stages that replace *stage*."""
    name = called(stage)
    if name is None:
        combinations_ = combinations.get(stage.name.value, (stage,))
        return _Expansion.side_by_side(*(with_axis_values(inner, report) for inner in combinations_))
    callee = callees[name.value]
    stages = {inner.name.value: stage_in_caller(inner, stage, callee.pipeline) for inner in callee.pipeline.stages}
    graph = callee.graph
    return _Expansion(
        tuple(stages.values()),
        tuple((stages[earlier].name.value, stages[later].name.value) for earlier, later in graph.arcs),
        tuple(stages[inner] for inner in graph.roots),
        tuple(stages[inner] for inner in graph.leaves),
    )


def _selected(name: StageName, written_stage: StageConfig, expansion: _Expansion, report: Report) -> _Expansion:
    """Return *expansion* of *written_stage* with arcs only to and from the combinations in the brackets of *name*."""
    own = [stage for stage in expansion.stages if not stage.within]
    stages = selected_stages(name, own or [written_stage], report)
    return replace(expansion, first=stages, last=stages)


def _graph(
    graph: ExecutionGraph, expansions: Mapping[str, _Expansion], selected: Mapping[str, _Expansion]
) -> ExecutionGraph | None:
    """Return *graph* with each stage replaced by its expansion; None if that makes too many arcs.

    All combinations of a stage run, even if arcs name only *selected* ones.
    """
    all_ = [expansions.get(name) or selected[name] for name in graph.nodes]
    nodes = ((stage.name.value,) for expansion in all_ for stage in expansion.stages)
    inner_arcs = (arc for expansion in all_ for arc in expansion.arcs)
    arcs = list(islice(chain(inner_arcs, _between(graph, expansions, selected)), MOST_ARCS + 1))
    return ExecutionGraph(chain(nodes, arcs)) if len(arcs) <= MOST_ARCS else None


def _between(
    graph: ExecutionGraph, expansions: Mapping[str, _Expansion], selected: Mapping[str, _Expansion]
) -> Iterator[tuple[str, str]]:
    """Yield the arcs between stages of different expansions: *selected* combinations are those of the user."""
    for earlier, later in graph.arcs:
        before, after = (selected.get(name) or expansions[name] for name in (earlier, later))
        is_exact = earlier in selected or later in selected
        for last, first in product(before.last, after.first):
            if is_exact or are_linked(last, first):
                yield last.name.value, first.name.value


def _check_cycles(
    graph: ExecutionGraph,
    arcs: Sequence[Arc],
    expansions: Mapping[str, _Expansion],
    selected: Mapping[str, _Expansion],
    report: Report,
) -> None:
    """Report combinations that wait for each other; in *graph*, a called pipeline is one stage."""
    names = {
        stage.name.value: name if stage.within else stage.name.value
        for name, expansion in expansions.items()
        for stage in expansion.stages
    }
    inner = {arc for expansion in expansions.values() for arc in expansion.arcs}
    steps = [(names[earlier], names[later]) for earlier, later in graph.arcs if (earlier, later) not in inner]
    spans: dict[Step, Span] = {}
    for earlier, later in chain.from_iterable(arc.pairs() for arc in arcs):
        before, after = (selected.get(name.written) or expansions[name.value] for name in (earlier, later))
        for last, first in product(before.last, after.first):
            spans.setdefault((names[last.name.value], names[first.name.value]), earlier.span.to(later.span))
    report_cycles(ExecutionGraph(steps), spans, report)


def _stopping(stage: StageConfig, expansions: Mapping[str, _Expansion], report: Report) -> StageConfig:
    """Return *stage* with the expanded stage that stops its environment."""
    name = stop_of(stage)
    if name is None or name.value not in expansions or stage.within:
        return stage
    candidates = [candidate for candidate in expansions[name.value].stages if are_linked(candidate, stage)]
    if len(candidates) == 1:
        return renamed_stop(stage, candidates[0].name.value)
    report.add(
        codes.AMBIGUOUS_STOP,
        f'one stage must stop the environment, but "{name.value}" is {len(candidates)} stages',
        at=name.span,
        related=[Label(candidates[0].name.span, "runs as several stages")] if candidates else [],
        hint=f'give "{name.value}" the combinations of this stage: "matrix: {{from: {stage.display_name}}}"'
        if stage.combination is not None
        else "name a single stage",
    )
    return stage


def _last(finally_: StepValue, expansions: Mapping[str, _Expansion], report: Report) -> StepValue:
    """Return *finally_* with each stage replaced by its expansion."""
    items: list[Node] = []
    for item in items_of(finally_.node):
        expansion = expansions.get(item.text) if isinstance(item, Scalar) else None
        if expansion is None or not isinstance(item, Scalar):
            items.append(item)
            continue
        if any(stage.within for stage in expansion.stages):
            report.add(
                codes.CALLED_PIPELINE,
                f'stage "{item.text}" runs another pipeline, but stages of "finally" have no order',
                at=item.span,
                hint="name stages of this pipeline",
            )
        items += (Scalar(stage.name.value, item.span) for stage in expansion.stages)
    return replace(finally_, node=List(tuple(items), finally_.node.span))


def _check_unique(expansions: Mapping[str, _Expansion], pipeline: PipelineConfig, report: Report) -> None:
    """Report a stage with the same name as a stage of a called pipeline."""
    by_name: dict[str, StageConfig] = {}
    for expansion in expansions.values():
        for stage in expansion.stages:
            first = by_name.setdefault(stage.name.value, stage)
            if first is not stage:
                report.add(
                    codes.DUPLICATE_STAGE,
                    f'pipeline "{pipeline.name.value}" has two stages named "{stage.name.value}"',
                    at=stage.name.span,
                    label="second",
                    related=[Label(first.name.span, "first")],
                    hint="rename one of them; stages of a called pipeline are named after the calling stage",
                )
