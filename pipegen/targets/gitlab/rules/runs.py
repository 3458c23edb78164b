"""Schedules and concurrency of runs."""

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
    """Report schedules, which the file cannot contain, and concurrency that GitLab lacks."""
    for plan in plans:
        for schedule in plan.schedules:
            if schedule.is_hashed:
                report.add(
                    codes.HASHED_SCHEDULE,
                    f'GitLab has no "H" in a schedule, a number that Jenkins chooses: "{schedule.cron}"',
                    at=schedule.span,
                    hint="create one in the project, under Build > Pipeline schedules, with numbers of your choice",
                )
                continue
            report.add(
                codes.SCHEDULE_IN_PROJECT,
                "GitLab keeps schedules in the project, not in the file",
                at=schedule.span,
                hint=f"create one in the project, under Build > Pipeline schedules: {_described(schedule)}",
            )
        _check_concurrency(plan, report)


def schedule_notes(plans: Sequence[Plan]) -> tuple[str, ...]:
    """Return a line for the file's header about each schedule that the project needs."""
    descriptions = dict.fromkeys(_described(schedule) for plan in plans for schedule in plan.schedules)
    return tuple(f"Needs a pipeline schedule in the project: {description}." for description in descriptions)


def waits(plan: Plan) -> bool:
    """Return whether runs of *plan* wait for each other."""
    return plan.concurrency is not None and not plan.concurrency.cancels


def cancels(plan: Plan) -> bool:
    """Return whether a newer run of *plan* cancels jobs of older ones."""
    return plan.concurrency is not None and plan.concurrency.cancels


def on_new_commit(plans: Sequence[Plan]) -> str:
    """Return which jobs of older pipelines of a branch GitLab cancels when *plans* run, "" for its default.

    By default, it would cancel the bridge of a run that others wait for, since a bridge does not count as a started
    job: the resource group would be free while the child pipeline goes on
    (`app/services/ci/pipeline_creation/cancel_redundant_pipelines_service.rb` of GitLab).
    """
    if any(map(cancels, plans)):
        return "interruptible"
    return "none" if any(map(waits, plans)) else ""


def with_interruptible(jobs: Iterable[GitLabJob], plan: Plan, titles: Mapping[str, str]) -> Iterator[GitLabJob]:
    """Return *jobs*, with the jobs of stages, named by *titles*, marked if a newer run may cancel them.

    Helpers are not marked: if the jobs that they need are cancelled, they do not run either.
    """
    is_usual = cancels(plan)
    marked = {titles[job.stage] for job in plan.jobs if _is_interruptible(job, is_usual=is_usual)}
    return (replace(job, interruptible=True) if job.name in marked else job for job in jobs) if marked else iter(jobs)


def _is_interruptible(job: PlanJob, *, is_usual: bool) -> bool:
    """Return whether a newer run may cancel *job*; finally stages always run.

    By default, a stage that deploys, holds a lock or was approved is not interrupted.
    """
    is_set = job.limits.interruptible
    deployment = job.deployment
    is_guarded = deployment.approval or deployment.delay or deployment.locks or deployment.environment
    return is_usual and not job.is_final and not is_guarded if is_set is None else is_set


def _described(schedule: Schedule) -> str:
    numbers = ', with numbers in place of "H"' if schedule.is_hashed else ""
    return f'"{schedule.cron}" in the time zone {schedule.timezone or "UTC"}{numbers}'


def report_overlapping(plan: Plan, reason: str, report: Report) -> None:
    """Report that runs of *plan* cannot wait for each other, for this *reason*."""
    report.add(
        codes.OVERLAPPING_RUNS,
        f'GitLab cannot make runs of pipeline "{plan.name}" wait for each other: {reason}',
        at=plan.concurrency.span if plan.concurrency is not None else plan.span,
        hint='give the stages that must not overlap a common lock, "lock: NAME", or cancel older runs: '
        '"concurrency: { cancel: true }"',
    )


def _check_concurrency(plan: Plan, report: Report) -> None:
    rule = plan.concurrency
    if rule is not None and rule.cancels and rule.group is not None:
        report.add(
            GROUPED_CANCEL.code,
            f'GitLab cancels older runs of the same branch, not of the group "{rule.group}"',
            at=rule.span,
            hint='leave "group" out to cancel runs of the same branch',
        )
