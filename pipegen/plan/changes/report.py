"""What is told of a plan that is narrowed to a change."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, listed
from pipegen.plan.changes.filters import is_filtered
from pipegen.plan.model import Job, Plan
from pipegen.source.text import Span

# Of more places the first ones are enough.
_SHOWN = 8


def report_whole(at: Span, why: str, report: Report) -> None:
    """Report that all is kept, and *why*."""
    report.add(
        codes.KEPT_WHOLE,
        f"every stage is kept: {why}",
        at=at,
        hint='say which files a stage or a pipeline is about: "when: { changes: [api/**] }"'
        if "names files" in why
        else None,
    )


def report_pipeline(plan: Plan, since: str, report: Report) -> None:
    """Report that nothing of *plan* is kept, since its own condition names files."""
    report.add(
        codes.LEFT_OUT,
        f'pipeline "{plan.name}" is left out: none of its files has changed since "{since}"',
        at=plan.span,
    )


def report_left_out(plan: Plan, jobs: Sequence[Job], since: str, report: Report) -> None:
    """Report that *jobs* of *plan* are left out, and why each of them is."""
    count = "1 stage" if len(jobs) == 1 else f"{len(jobs)} stages"
    names = listed([job.stage for job in jobs])
    whole = "all stages" if len(jobs) == len(plan.jobs) else count
    verb = "is" if len(jobs) == 1 and whole == count else "are"
    report.add(
        codes.LEFT_OUT,
        f'{whole} of pipeline "{plan.name}" {verb} left out, since nothing changed since "{since}" concerns '
        f"{'it' if count == '1 stage' else 'them'}: {names}",
        at=jobs[0].span,
        label=_why(jobs[0]),
        also=[Label(job.span, _why(job)) for job in jobs[1:_SHOWN]],
        hint="a stage that runs whatever has changed says so: \"when: { changes: ['**'] }\""
        if any(not is_filtered(job.condition) for job in jobs)
        else None,
    )


def report_nothing(at: Span, since: str, report: Report) -> None:
    """Report that nothing is left that is sure to run."""
    report.add(
        codes.NOTHING_TO_DO,
        f'what changed since "{since}" leaves nothing that is sure to run: a stage that says so is added',
        at=at,
    )


def _why(job: Job) -> str:
    if is_filtered(job.condition):
        return "none of its files has changed"
    return "it names no files, and comes after no stage whose files have changed"
