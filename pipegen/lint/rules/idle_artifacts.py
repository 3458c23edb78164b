"""Artifacts that nobody uses."""

from __future__ import annotations

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.lint.base import CheckedConfig, CheckedStage
from pipegen.plan.model import Workspace
from pipegen.source.text import Span


def check(config: CheckedConfig, report: Report) -> None:
    """Report artifacts with `keep: false` that no stage reads."""
    candidates = [stage for stage in config.stages() if _is_for_stages_only(stage)]
    plans = {id(stage.plan): stage.plan for stage in candidates}
    used_pairs = {(plan_id, title) for plan_id, plan in plans.items() for job in plan.jobs for title in job.files}
    idle: dict[Span, str] = {}
    used_spans: set[Span] = set()
    for stage in candidates:
        if stage.config.artifacts is None:
            continue
        if (id(stage.plan), stage.job.stage) in used_pairs:
            used_spans.add(stage.config.artifacts.span)
        else:
            idle.setdefault(stage.config.artifacts.span, stage.config.display_name)
    for span, title in idle.items():
        if span not in used_spans:
            report.add(
                codes.IDLE_ARTIFACTS,
                f'nobody uses the artifacts of stage "{title}": no stage reads them, and "keep" is false',
                at=span,
                hint='remove "artifacts", or "keep: false"',
            )


def _is_for_stages_only(stage: CheckedStage) -> bool:
    """Return whether only other stages can use the artifacts of *stage*."""
    declared = [artifact for artifact in stage.job.artifacts if artifact.is_declared]
    return (
        bool(declared)
        and not any(artifact.is_kept for artifact in declared)
        and stage.plan.workspace is Workspace.ISOLATED
    )
