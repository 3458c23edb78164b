"""Diagnostics of a plan that is narrowed to a change."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, listed
from pipegen.plan.changes.filters import is_filtered
from pipegen.plan.model import Job, Plan
from pipegen.source.text import Span

# The most labels of a diagnostic.
_SHOWN = 8


def report_whole(at: Span, reason: str, report: Report) -> None:
    """Report that every stage is kept, and *reason*."""
    report.add(
        codes.KEPT_WHOLE,
        f"every stage is kept: {reason}",
        at=at,
        hint='name the files of a stage or a pipeline: "when: { changes: [api/**] }"'
        if "names files" in reason
        else None,
    )


def report_pipeline(plan: Plan, since: str, report: Report) -> None:
    """Report that *plan* is omitted, since its own condition names files."""
    report.add(
        codes.LEFT_OUT,
        f'pipeline "{plan.name}" is left out: none of its files has changed since "{since}"',
        at=plan.span,
    )


def report_left_out(plan: Plan, jobs: Sequence[Job], since: str, report: Report) -> None:
    """Report that *jobs* of *plan* are omitted, and the reason for each."""
    # The combinations of a matrix have one location.
    by_title: dict[str, Job] = {}
    for job in jobs:
        by_title.setdefault(job.title, job)
    first, *others = by_title.values()
    count = "1 stage" if len(jobs) == 1 else f"{len(jobs)} stages"
    names = listed([job.stage for job in jobs])
    stages = "all stages" if len(jobs) == len(plan.jobs) else count
    verb = "is" if len(jobs) == 1 and stages == count else "are"
    report.add(
        codes.LEFT_OUT,
        f'{stages} of pipeline "{plan.name}" {verb} left out, since nothing changed since "{since}" concerns '
        f"{'it' if count == '1 stage' else 'them'}: {names}",
        at=first.span,
        label=_why(first),
        related=[Label(job.span, _why(job)) for job in others[: _SHOWN - 1]],
        hint="to run a stage regardless of changes, write: \"when: { changes: ['**'] }\""
        if any(not is_filtered(job.condition) for job in jobs)
        else None,
    )


def report_nothing(at: Span, since: str, report: Report) -> None:
    """Report that no remaining stage is certain to run."""
    report.add(
        codes.NOTHING_TO_DO,
        f'after the changes since "{since}" no stage is certain to run: a stage that prints so is added',
        at=at,
    )


def _why(job: Job) -> str:
    if is_filtered(job.condition):
        return "none of its files has changed"
    return "it names no files and follows no stage whose files have changed"
