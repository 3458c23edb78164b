"""The arcs of a pipeline to its ExecutionGraph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from pipegen.bindings.names import RESERVED_STAGES
from pipegen.config.model import Arc, PipelineConfig, StageConfig
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, listed, suggestion
from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.cycles import check_cycles
from pipegen.plan.finally_stages import check_final, final_stages, without_final
from pipegen.plan.unknown_names import report_unknown_stage
from pipegen.source.text import Located
from pipegen.structs import replace


def build_graph(pipeline: PipelineConfig, report: Report) -> ExecutionGraph:
    """Return the graph of *pipeline*'s arcs; what is wrong with stages and arcs is reported.

    An undefined stage is left out of its arc; where it can only mean a stage that no
    arc names, that one stands for it, so that one slip is reported once. Without
    `execution`, the stages run in the order in which they are written.
    """
    stages = _check_stages(pipeline, report)
    check_final(pipeline, stages, report)
    final = final_stages(pipeline)
    if pipeline.arcs is None:
        return ExecutionGraph([[name for name in stages if name not in final]])
    are_known = _check_arcs(pipeline.arcs, stages, report)
    arcs = without_final(pipeline.arcs, pipeline)
    if not are_known or not all(all(arc.groups) for arc in arcs):
        arcs = _meant(arcs, stages)
    graph = ExecutionGraph(chain.from_iterable(map(_chains, arcs)))
    check_cycles(graph, arcs, report)
    _check_used(graph, stages.values(), pipeline, report)
    return graph


def _meant(arcs: tuple[Arc, ...], stages: dict[str, StageConfig]) -> tuple[Arc, ...]:
    """Return *arcs* with defined stages only."""
    named = {name.value for arc in arcs for group in arc.groups for name in group}
    free = [stage for stage in stages if stage not in named]
    meant = {name: name for name in stages} | {
        name: found for name in sorted(named - stages.keys()) if (found := suggestion(name, free)) is not None
    }
    return tuple(Arc(tuple(known for group in arc.groups if (known := _known(group, meant))), arc.span) for arc in arcs)


def _known(group: tuple[Located[str], ...], meant: Mapping[str, str]) -> tuple[Located[str], ...]:
    return tuple(replace(name, value=meant[name.value]) for name in group if name.value in meant)


def _chains(arc: Arc) -> list[tuple[str, ...]]:
    """Return the names of *arc* in chains without groups."""
    names = tuple([group[0].value for group in arc.groups if len(group) == 1])
    if len(names) == len(arc.groups):
        return [names]
    alone = [(name.value,) for name in arc.stages]
    return [*alone, *((earlier.value, later.value) for earlier, later in arc.pairs())]


def _check_stages(pipeline: PipelineConfig, report: Report) -> dict[str, StageConfig]:
    """Return the stages by name, the first of each name."""
    stages: dict[str, StageConfig] = {}
    for stage in pipeline.stages:
        name = stage.name
        if name.value in RESERVED_STAGES:
            report.add(
                codes.RESERVED_NAME,
                f'"{name.value}" is a reserved stage name',
                at=name.span,
                hint="name the stage otherwise: setup and teardown are pipegen's own",
            )
        if name.value in stages:
            report.add(
                codes.DUPLICATE_STAGE,
                f'pipeline "{pipeline.name.value}" has two stages named "{name.value}"',
                at=name.span,
                label="second",
                also=[Label(stages[name.value].name.span, "first")],
                hint="rename one of them",
            )
        stages.setdefault(name.value, stage)
    return stages


def _check_arcs(arcs: Sequence[Arc], stages: dict[str, StageConfig], report: Report) -> bool:
    """Report what is wrong with single *arcs*; return whether all that they name is a stage."""
    names = [[name.value for group in arc.groups for name in group] for arc in arcs]
    are_known = set(chain.from_iterable(names)) <= stages.keys()
    for arc, own in zip(arcs, names, strict=True):
        if not are_known or len(set(own)) < len(own):
            _check_arc(arc, stages, report)
    return are_known


def _check_arc(arc: Arc, stages: dict[str, StageConfig], report: Report) -> None:
    """Report what *arc* names that is no stage, and what it names twice."""
    seen: dict[str, tuple[int, Located[str]]] = {}
    for place, group in enumerate(arc.groups):
        for name in group:
            if name.value not in stages:
                add = f'add a stage "{name.value}"'
                otherwise = f"{add}, or name one of {listed(list(stages))}"
                report_unknown_stage("arc", name, stages, otherwise, report, more=f", or {add}")
            first_place, first = seen.setdefault(name.value, (place, name))
            if first is not name:
                why = ", so it would wait for itself" if first_place != place else ""
                report.add(
                    codes.REPEATED_IN_ARC,
                    f'stage "{name.value}" stands twice in one arc{why}',
                    at=name.span,
                    label="again",
                    also=[Label(first.span, "first")],
                    hint="name each stage once in an arc",
                )


def _check_used(graph: ExecutionGraph, stages: Iterable[StageConfig], pipeline: PipelineConfig, report: Report) -> None:
    used = set(graph.nodes)
    idle = [stage for stage in stages if stage.name.value not in used]
    if not idle:
        return
    named = [stage.name.value for stage in pipeline.stages]
    # A finally stage that is not there can only mean one that stands in no arc: one slip is reported once.
    final = {name if name in named else suggestion(name, named) for name in final_stages(pipeline)}
    for stage in idle:
        if stage.name.value not in final:
            report.add(
                codes.STAGE_IN_NO_ARC,
                f'stage "{stage.name.value}" stands in no arc, so it never runs',
                at=stage.name.span,
                hint=f'add [{stage.name.value}] to "execution" of "{pipeline.name.value}", or remove the stage',
            )
