"""Limits for the number of stages: matrices and calls multiply them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pipegen.config.model import PipelineConfig, StageConfig
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.plan.expansion.calls import called

# Nested calls grow exponentially, and so do arcs between stages with many combinations. Stages that the user writes
# individually are not limited.
_MAX_STAGES = 5_000
MOST_ARCS = 100_000
_HINT = "call fewer pipelines, or remove values of matrices; the limit is {:,} {}"


def check_stages(
    pipelines: Sequence[PipelineConfig],
    combinations: Mapping[str, Mapping[str, tuple[StageConfig, ...]]],
    report: Report,
) -> None:
    """Report the first of *pipelines* that exceeds the limit; each comes after the ones that it calls."""
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
        if total > _MAX_STAGES:
            others = f", and {total:,} with those of pipelines before it" if total > size else ""
            report.add(
                codes.TOO_MANY_STAGES,
                f'pipeline "{pipeline.name.value}" would have {size:,} stages, '
                f"including combinations and those of called pipelines"
                f"{others}",
                at=pipeline.name.span,
                hint=_HINT.format(_MAX_STAGES, "stages"),
            )
            return


def report_arcs(pipeline: PipelineConfig, report: Report) -> None:
    """Report that *pipeline* has too many arcs between combinations."""
    report.add(
        codes.TOO_MANY_STAGES,
        f'pipeline "{pipeline.name.value}" would have more than {MOST_ARCS:,} arcs, from each combination to each',
        at=pipeline.name.span,
        hint='put a stage between the matrix stages, or give both the same combinations with "from"',
    )
