"""What starts runs by the clock, and what happens when runs meet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Job as PlanJob
from pipegen.plan.model import Plan, Schedule
from pipegen.structs import replace
from pipegen.targets.gitlab.model import GitLabJob
from pipegen.targets.gitlab.pairs import GROUPED_CANCEL


def check_runs(plans: Sequence[Plan], report: Report) -> None:
    """Tell of schedules, which the file cannot hold; report runs that would meet."""
    for plan in plans:
        for one in plan.schedules:
            report.add(
                codes.SCHEDULE_IN_PROJECT,
                "GitLab keeps schedules in the project, not in the file",
                at=one.span,
                hint=f"create one in the project, under Build > Pipeline schedules: {_told(one)}",
            )
        _check_concurrency(plan, report)


def schedule_notes(plans: Sequence[Plan]) -> tuple[str, ...]:
    """Return a line for the file's header about each schedule that the project must have."""
    found = dict.fromkeys(_told(one) for plan in plans for one in plan.schedules)
    return tuple(f"Needs a pipeline schedule in the project: {told}." for told in found)


def cancels(plans: Iterable[Plan]) -> bool:
    """Return whether a newer run cancels jobs of older ones."""
    return any(plan.concurrency is not None and plan.concurrency.cancels for plan in plans)


def with_interruptible(jobs: Iterable[GitLabJob], plan: Plan, titles: Mapping[str, str]) -> Iterator[GitLabJob]:
    """Return *jobs*, those of stages, named as *titles* says, marked where a newer run may cancel them.

    A helper is not marked: where the jobs that it needs are cancelled, it does not run either.
    """
    is_usual = cancels((plan,))
    marked = {titles[job.stage] for job in plan.jobs if _is_interruptible(job, is_usual=is_usual)}
    return (replace(job, interruptible=True) if job.name in marked else job for job in jobs) if marked else iter(jobs)


def _is_interruptible(job: PlanJob, *, is_usual: bool) -> bool:
    """Return whether a newer run may cancel *job*; finally stages run whatever happens.

    A stage that deploys, holds a lock or was approved ends what it began, unless it says otherwise.
    """
    found = job.limits.interruptible
    deployment = job.deployment
    is_guarded = deployment.approval or deployment.delay or deployment.locks or deployment.environment
    return is_usual and not job.is_final and not is_guarded if found is None else found


def _told(one: Schedule) -> str:
    return f'"{one.cron}" in the time zone {one.timezone or "UTC"}'


def _check_concurrency(plan: Plan, report: Report) -> None:
    rule = plan.concurrency
    if rule is None:
        return
    if not rule.cancels:
        report.add(
            codes.OVERLAPPING_RUNS,
            f'GitLab has no way to let runs of pipeline "{plan.name}" go one after the other',
            at=rule.span,
            hint='let the stages that must not meet have a lock in common: "lock: NAME"; or cancel older runs: '
            '"concurrency: { cancel: true }"',
        )
    elif rule.group is not None:
        report.add(
            GROUPED_CANCEL.code,
            f'GitLab cancels older runs of the same branch, not of the group "{rule.group}"',
            at=rule.span,
            hint='leave "group" out to cancel runs of the same branch',
        )
