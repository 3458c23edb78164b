"""Files that are kept for nobody."""

from __future__ import annotations

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.lint.base import Checked, CheckedStage
from pipegen.plan.model import Workspace
from pipegen.source.text import Span


def check(checked: Checked, report: Report) -> None:
    """Report artifacts that people do not get, by `keep: false`, and that no stage takes."""
    unkept = [work for work in checked.work() if _is_unkept(work)]
    plans = {id(work.plan): work.plan for work in unkept}
    taken = {(place, stage) for place, plan in plans.items() for job in plan.jobs for stage in job.files}
    idle: dict[Span, str] = {}
    used: set[Span] = set()
    for work in unkept:
        if work.stage.artifacts is None:
            continue
        if (id(work.plan), work.job.stage) in taken:
            used.add(work.stage.artifacts.span)
        else:
            idle.setdefault(work.stage.artifacts.span, work.stage.said)
    for span, name in idle.items():
        if span not in used:
            report.add(
                codes.IDLE_ARTIFACTS,
                f'nobody gets the artifacts of stage "{name}": no stage takes them, and "keep" is false',
                at=span,
                hint='take "artifacts" out, or "keep: false"',
            )


def _is_unkept(work: CheckedStage) -> bool:
    """Return whether the stage leaves artifacts that only other stages may get."""
    declared = [one for one in work.job.artifacts if one.is_declared]
    return bool(declared) and not any(one.is_kept for one in declared) and work.plan.workspace is Workspace.ISOLATED
