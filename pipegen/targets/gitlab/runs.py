"""What starts runs by the clock, and what happens when runs meet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Job as PlanJob
from pipegen.plan.model import Plan, Schedule
from pipegen.structs import replace
from pipegen.targets.gitlab.model import Job
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


def with_interruptible(jobs: Iterable[Job], plan: Plan, titles: Mapping[str, str]) -> Iterator[Job]:
    """Yield *jobs*, those of stages, named as *titles* says, marked where a newer run may cancel them.

    A helper is not marked: where the jobs that it needs are cancelled, it does not run either.
    """
    stages = {titles[job.stage]: job for job in plan.jobs}
    for job in jobs:
        stage = stages.get(job.name)
        is_marked = _is_interruptible(stage, plan) if stage is not None else job.interruptible
        yield job if is_marked is job.interruptible else replace(job, interruptible=is_marked)


def _is_interruptible(job: PlanJob, plan: Plan) -> bool:
    """Return whether a newer run may cancel *job*; finally stages run whatever happens."""
    if job.limits.interruptible is not None:
        return job.limits.interruptible
    return cancels((plan,)) and not job.is_final


def _told(one: Schedule) -> str:
    return f'"{one.cron}" in the time zone {one.timezone or "UTC"}'


def _check_concurrency(plan: Plan, report: Report) -> None:
    rule = plan.concurrency
    if rule is None:
        return
    if not rule.cancels:
        report.add(
            codes.RUNS_MEET,
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
