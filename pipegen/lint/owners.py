"""The stages that arcs name, for the jobs of a plan: the stage of a combination, the caller of a called pipeline."""

from __future__ import annotations

from collections.abc import Mapping

from pipegen.bindings.groups import INSIDE
from pipegen.config.model import PipelineConfig
from pipegen.plan.model import Plan


def owners(pipeline: PipelineConfig, plan: Plan) -> Mapping[str, str]:
    """Return for each job of *plan* the name by which the arcs of *pipeline* know it."""
    told = {name.value for arc in pipeline.arcs or () for name in arc.stages}
    written = {stage.name.value: stage.said for stage in pipeline.stages if not stage.within}
    return {job.stage: written.get(job.stage) or _caller(job.stage, told) for job in plan.jobs}


def _caller(stage: str, told: set[str]) -> str:
    """Return the stage in whose place a pipeline runs that holds *stage*."""
    steps = stage.split(INSIDE)
    heads = (INSIDE.join(steps[:length]) for length in range(1, len(steps)))
    return next((head for head in heads if head in told), stage)
