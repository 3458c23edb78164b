"""The names by which arcs refer to jobs: a matrix stage for its combinations, a caller for a called pipeline."""

from __future__ import annotations

from collections.abc import Mapping

from pipegen.bindings.groups import INSIDE
from pipegen.config.model import PipelineConfig
from pipegen.plan.model import Plan


def owners(pipeline: PipelineConfig, plan: Plan) -> Mapping[str, str]:
    """Return the name by which the arcs of *pipeline* refer to each job of *plan*."""
    arc_names = {name.value for arc in pipeline.arcs or () for name in arc.stages}
    titles = {stage.name.value: stage.display_name for stage in pipeline.stages if not stage.within}
    return {job.stage: titles.get(job.stage) or _caller(job.stage, arc_names) for job in plan.jobs}


def _caller(stage: str, arc_names: set[str]) -> str:
    """Return the stage that calls the pipeline of *stage*."""
    parts = stage.split(INSIDE)
    prefixes = (INSIDE.join(parts[:length]) for length in range(1, len(parts)))
    return next((prefix for prefix in prefixes if prefix in arc_names), stage)
