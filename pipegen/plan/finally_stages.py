"""Finally stages, which run once after all others, whatever their result."""

from __future__ import annotations

from collections.abc import Mapping

from pipegen.config.model import Arc, PipelineConfig, StageConfig, StageName
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, listed
from pipegen.plan.unknown_names import report_unknown_stage
from pipegen.source.text import Located, Span
from pipegen.source.tree import scalars_of


def final_stages(pipeline: PipelineConfig) -> dict[str, Span]:
    """Return the stages that `finally` of *pipeline* names, each with the span of its first mention."""
    spans: dict[str, Span] = {}
    for name in _named(pipeline):
        spans.setdefault(name.value, name.span)
    return spans


def check_final(pipeline: PipelineConfig, stages: Mapping[str, StageConfig], report: Report) -> None:
    """Report undefined, repeated or ordered names in `finally`, and a `finally` that names all *stages*."""
    final = final_stages(pipeline)
    for name in _named(pipeline):
        if name.value not in stages:
            otherwise = f"name one of {listed(list(stages))}, or add a stage of that name"
            report_unknown_stage('"finally"', name, stages, otherwise, report)
        elif final[name.value] != name.span:
            report.add(
                codes.INVALID_VALUE,
                f'"finally" names stage "{name.value}" twice',
                at=name.span,
                related=[Label(final[name.value], "first")],
                hint="name each stage once",
            )
    if stages and all(name in final for name in stages) and pipeline.finally_ is not None:
        report.add(
            codes.ONLY_FINAL_STAGES,
            f'pipeline "{pipeline.name.value}" has only finally stages',
            at=pipeline.finally_.span,
            hint='name in "finally" only the stages that run after all others',
        )
    for arc in (pipeline.arcs or ()) if final else ():
        _check_arc(arc, final, report)


def check_final_approvals(pipeline: PipelineConfig, report: Report) -> None:
    """Report finally stages of *pipeline* that wait for an approval."""
    final = final_stages(pipeline)
    for stage in pipeline.stages if final else ():
        if stage.approve is not None and stage.name.value in final:
            report.add(
                codes.FINAL_STAGE_WAITS,
                f'stage "{stage.display_name}" runs after all others, so it cannot wait for an approval',
                at=stage.approve.span,
                hint='remove "approve", or put the stage into an arc',
            )


def without_final(arcs: tuple[Arc, ...], pipeline: PipelineConfig) -> tuple[Arc, ...]:
    """Return *arcs* without the finally stages of *pipeline*."""
    final = final_stages(pipeline)
    if not final:
        return arcs
    return tuple(
        Arc(tuple(names for group in arc.groups if (names := _without(group, final))), arc.span) for arc in arcs
    )


def _without(group: tuple[StageName, ...], final: Mapping[str, Span]) -> tuple[StageName, ...]:
    return tuple(name for name in group if name.value not in final)


def _check_arc(arc: Arc, final: Mapping[str, Span], report: Report) -> None:
    for name in arc.stages:
        if name.value in final:
            report.add(
                codes.FINAL_STAGE_IN_ARC,
                f'arc names stage "{name.value}", which runs after all others',
                at=name.span,
                related=[Label(final[name.value], "a finally stage")],
                hint='remove it from the arc, or from "finally"',
            )


def _named(pipeline: PipelineConfig) -> tuple[Located[str], ...]:
    node = pipeline.finally_.node if pipeline.finally_ else None
    return tuple(item.located() for item in scalars_of(node))
