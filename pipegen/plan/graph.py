"""The ExecutionGraph of a pipeline's arcs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from pipegen.config.model import Arc, PipelineConfig, StageConfig, StageName
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, listed, suggestion
from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.cycles import check_cycles
from pipegen.plan.finally_stages import check_final, final_stages, without_final
from pipegen.plan.unknown_names import report_unknown_stage
from pipegen.source.text import Located
from pipegen.structs import Struct, replace


class WrittenOrder(Struct):
    """The *graph* of names as *arcs* have them: some with brackets."""

    graph: ExecutionGraph
    arcs: tuple[Arc, ...] = ()

    @property
    def selections(self) -> dict[str, StageName]:
        """The names with brackets, as they are in the graph."""
        return {name.written: name for arc in self.arcs for name in arc.stages if name.combinations is not None}


def build_graph(pipeline: PipelineConfig, report: Report) -> WrittenOrder:
    """Return the order of *pipeline*'s arcs; errors in stages and arcs are reported.

    An undefined stage is removed from its arc. If it is a likely typo of a stage that no arc names, that stage
    replaces it, so that one typo is reported once. Without `execution`, the stages run in the order of the file.
    """
    stages = _check_stages(pipeline, report)
    check_final(pipeline, stages, report)
    final = final_stages(pipeline)
    if pipeline.arcs is None:
        return WrittenOrder(ExecutionGraph([[name for name in stages if name not in final]]))
    are_known = _check_arcs(pipeline.arcs, stages, report)
    arcs = without_final(pipeline.arcs, pipeline)
    if not are_known or not all(all(arc.groups) for arc in arcs):
        arcs = _resolved(arcs, stages)
    graph = ExecutionGraph(chain.from_iterable(map(_chains, arcs)))
    check_cycles(graph, arcs, report)
    _check_used(arcs, stages.values(), pipeline, report)
    return WrittenOrder(graph, arcs)


def _resolved(arcs: tuple[Arc, ...], stages: dict[str, StageConfig]) -> tuple[Arc, ...]:
    """Return *arcs* with defined stages only, typos replaced."""
    named = {name.value for arc in arcs for group in arc.groups for name in group}
    free = [stage for stage in stages if stage not in named]
    resolved = {name: name for name in stages} | {
        name: similar for name in sorted(named - stages.keys()) if (similar := suggestion(name, free)) is not None
    }
    return tuple(
        Arc(tuple(names for group in arc.groups if (names := _replaced(group, resolved))), arc.span) for arc in arcs
    )


def _replaced(group: tuple[StageName, ...], resolved: Mapping[str, str]) -> tuple[StageName, ...]:
    return tuple(replace(name, value=resolved[name.value]) for name in group if name.value in resolved)


def _chains(arc: Arc) -> list[tuple[str, ...]]:
    """Return *arc* as chains of names, without groups."""
    names = tuple([group[0].written for group in arc.groups if len(group) == 1])
    if len(names) == len(arc.groups):
        return [names]
    single = [(name.written,) for name in arc.stages]
    return [*single, *((earlier.written, later.written) for earlier, later in arc.pairs())]


def _check_stages(pipeline: PipelineConfig, report: Report) -> dict[str, StageConfig]:
    """Return the stages by name; of stages with the same name, the first."""
    stages: dict[str, StageConfig] = {}
    for stage in pipeline.stages:
        name = stage.name
        if name.value in StageConfig.RESERVED_NAMES:
            report.add(
                codes.RESERVED_NAME,
                f'"{name.value}" is a reserved stage name',
                at=name.span,
                hint='choose another name: pipegen reserves "setup" and "teardown"',
            )
        if name.value in stages:
            report.add(
                codes.DUPLICATE_STAGE,
                f'pipeline "{pipeline.name.value}" has two stages named "{name.value}"',
                at=name.span,
                label="second",
                related=[Label(stages[name.value].name.span, "first")],
                hint="rename one of them",
            )
        stages.setdefault(name.value, stage)
    return stages


def _check_arcs(arcs: Sequence[Arc], stages: dict[str, StageConfig], report: Report) -> bool:
    """Report errors in single *arcs*; return whether all names in them are stages."""
    names = [[name.value for group in arc.groups for name in group] for arc in arcs]
    are_known = set(chain.from_iterable(names)) <= stages.keys()
    for arc, own in zip(arcs, names, strict=True):
        if not are_known or len(set(own)) < len(own):
            _check_arc(arc, stages, report)
    return are_known


def _check_arc(arc: Arc, stages: dict[str, StageConfig], report: Report) -> None:
    """Report undefined and repeated stages in *arc*."""
    seen: dict[str, tuple[int, Located[str]]] = {}
    for index, group in enumerate(arc.groups):
        for name in group:
            if name.value not in stages:
                add = f'add a stage "{name.value}"'
                otherwise = f"{add}, or name one of {listed(list(stages))}"
                report_unknown_stage("arc", name, stages, otherwise, report, more=f", or {add}")
            first_index, first = seen.setdefault(name.written, (index, name))
            if first is not name:
                consequence = ", so it would wait for itself" if first_index != index else ""
                report.add(
                    codes.REPEATED_IN_ARC,
                    f'stage "{name.written}" is twice in one arc{consequence}',
                    at=name.span,
                    label="again",
                    related=[Label(first.span, "first")],
                    hint="name each stage once in an arc",
                )


def _check_used(arcs: Iterable[Arc], stages: Iterable[StageConfig], pipeline: PipelineConfig, report: Report) -> None:
    used = {name.value for arc in arcs for name in arc.stages}
    idle = [stage for stage in stages if stage.name.value not in used]
    if not idle:
        return
    named = [stage.name.value for stage in pipeline.stages]
    # An undefined name in `finally` is probably a typo of a stage in no arc: one typo is reported once.
    final = {name if name in named else suggestion(name, named) for name in final_stages(pipeline)}
    for stage in idle:
        if stage.name.value not in final:
            report.add(
                codes.STAGE_IN_NO_ARC,
                f'stage "{stage.name.value}" is in no arc, so it never runs',
                at=stage.name.span,
                hint=f'add [{stage.name.value}] to "execution" of "{pipeline.name.value}", or remove the stage',
            )
