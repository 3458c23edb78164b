"""Stages that settings name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, listed, suggestion
from pipegen.plan.model import Job, Plan
from pipegen.source.tree import Scalar

# The names of jobs by pipeline and stage.
Titles: TypeAlias = Mapping[tuple[str, str], str]


def setting_names(plan: Plan, job: Job) -> tuple[str, ...]:
    """Return the names by which settings call the stage of *job*, a combination also by that of its matrix."""
    return job.stage, job.title, f"{plan.name}: {job.stage}", f"{plan.name}: {job.title}"


def report_unknown_stage(
    setting: str, stage: Scalar, known: Sequence[str], listed_names: Sequence[str], report: Report
) -> None:
    """Report the *stage* in *setting*, which is not *known*; the hint has a similar name, or else *listed_names*."""
    suggested = suggestion(stage.text, known)
    report.add(
        codes.UNKNOWN_STAGE_IN_SETTING,
        f'targets.gitlab.{setting} names stage "{stage.text}", which is not defined',
        at=stage.span,
        hint=f'did you mean "{suggested}"?' if suggested else f"the stages are {listed(listed_names)}",
    )
