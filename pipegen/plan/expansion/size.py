"""How many stages a config stands for: matrices and calls of pipelines multiply them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pipegen.config.model import PipelineConfig, StageConfig
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.plan.expansion.calls import called

# A few lines, of pipelines that call others, whose pipelines do, are soon beyond all bounds; so are arcs between stages
# of many combinations. Those who write their stages down may have as many as they like.
_MOST_STAGES = 5_000
MOST_ARCS = 100_000
_HINT = "call fewer pipelines, or leave values out of matrices; {:,} {} are the most"


def check_stages(
    pipelines: Sequence[PipelineConfig],
    combinations: Mapping[str, Mapping[str, tuple[StageConfig, ...]]],
    report: Report,
) -> None:
    """Report the first of *pipelines*, each after those that it calls, with which there are too many stages."""
    sizes: dict[str, int] = {}
    total = 0
    for pipeline in pipelines:
        own = combinations[pipeline.name.value]
        names = [(stage.name.value, called(stage)) for stage in pipeline.stages]
        size = sum(sizes.get(call.value, 1) if call is not None else len(own.get(name, (1,))) for name, call in names)
        sizes[pipeline.name.value] = size
        if size == len(pipeline.stages):
            continue
        total += size
        if total > _MOST_STAGES:
            others = f", and {total:,} with those of pipelines before it" if total > size else ""
            report.add(
                codes.TOO_MANY_STAGES,
                f'pipeline "{pipeline.name.value}" would have {size:,} stages, '
                f"combinations and those of pipelines it calls "
                f"counted{others}",
                at=pipeline.name.span,
                hint=_HINT.format(_MOST_STAGES, "stages"),
            )
            return


def report_arcs(pipeline: PipelineConfig, report: Report) -> None:
    """Report that too many arcs stand between the stages of *pipeline*."""
    report.add(
        codes.TOO_MANY_STAGES,
        f'pipeline "{pipeline.name.value}" would have more than {MOST_ARCS:,} arcs, from each combination to each',
        at=pipeline.name.span,
        hint='put a stage between those of many combinations, or give one the combinations of the other by "from"',
    )
