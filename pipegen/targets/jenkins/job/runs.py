"""What starts runs by the clock, and what happens when runs meet: Jenkins settles both for a whole job."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.emit.groovy import literal
from pipegen.plan.model import Concurrency, Plan, Schedule
from pipegen.targets.jenkins.model import Property, PropertyKind, step_name
from pipegen.targets.jenkins.pairs import (
    CANCELLED_ALL_THE_SAME,
    CONCURRENCY_AND_OPTION,
    GROUPED_CANCEL,
    UNLIKE_CONCURRENCY,
    UNLIKE_ZONES,
)
from pipegen.targets.jenkins.settings import JenkinsSettings
from pipegen.targets.jenkins.stages.approvals import group_resource

_LOCKS = "lockable-resources"
_OPTION = "disableConcurrentBuilds"


def run_properties(plans: Sequence[Plan], settings: JenkinsSettings, report: Report) -> Iterator[Property]:
    """Yield the properties of the job of *plans*; what pipelines, or the *settings*, say differently is reported."""
    found = _schedules(plans, report)
    if found:
        lines = [f"TZ={found[0].timezone or 'UTC'}", *dict.fromkeys(one.cron for one in found)]
        # Of a multibranch job, the branch that its repository calls the primary one is built.
        where = "env.BRANCH_NAME && !env.BRANCH_IS_PRIMARY"
        yield Property(PropertyKind.TRIGGER, f"cron({where} ? '' : {literal(chr(10).join(lines))})")
    rule = _concurrency(plans, report)
    if rule is not None and rule.group is None:
        argument = "abortPrevious: true" if rule.cancels else ""
        _check_option(rule, settings, report)
        yield Property(PropertyKind.SETTING, f"{_OPTION}({argument})")
    if rule is not None and rule.group is not None:
        yield Property(PropertyKind.AROUND, f"lock(resource: {literal(group_resource(rule.group))})", _LOCKS)


def waits_for_others(plan: Plan) -> bool:
    """Return whether a run of *plan* waits for those of other jobs before its first stage."""
    return plan.concurrency is not None and plan.concurrency.group is not None


def _schedules(plans: Sequence[Plan], report: Report) -> tuple[Schedule, ...]:
    """Return the schedules of the job; all must be in one time zone."""
    found = tuple(one for plan in plans for one in plan.schedules)
    for other in found[1:]:
        if other.timezone != found[0].timezone:
            report.add(
                UNLIKE_ZONES.code,
                f"Jenkins knows one time zone for all schedules of a job: {other.timezone or 'UTC'} is another",
                at=other.span,
                also=[Label(found[0].span, f"in {found[0].timezone or 'UTC'}")],
                hint="write the times of all of them in one time zone",
            )
            break
    return found


def _concurrency(plans: Sequence[Plan], report: Report) -> Concurrency | None:
    """Return what holds when builds of the job meet; all pipelines must say the same."""
    first = next((plan for plan in plans if plan.concurrency is not None), None)
    rule = first.concurrency if first is not None else None
    if first is None or rule is None:
        return None
    other = next((plan for plan in plans if plan.concurrency != rule), None)
    if other is not None:
        report.add(
            UNLIKE_CONCURRENCY.code,
            f'pipelines "{first.name}" and "{other.name}" run in one Jenkins job, which treats all its runs alike',
            at=rule.span,
            also=[Label(other.concurrency.span if other.concurrency is not None else other.span, "says otherwise")],
            hint="say the same in both, compile one of them alone with --pipeline for a job of its own, or let the "
            "stages that must not meet have a lock in common",
        )
    if rule.cancels and rule.group is not None:
        report.add(
            GROUPED_CANCEL.code,
            f'Jenkins cancels older runs of the same branch, not of the group "{rule.group}"',
            at=rule.span,
            hint='leave "group" out to cancel runs of the same branch, or "cancel" to let runs of the group wait',
        )
    if rule.cancels:
        _check_interruptible(plans, report)
    return rule


def _check_option(rule: Concurrency, settings: JenkinsSettings, report: Report) -> None:
    """Report an option of the settings that says what *rule* says, perhaps otherwise: Jenkins takes one of them."""
    if _OPTION in map(step_name, settings.options):
        report.add(
            CONCURRENCY_AND_OPTION.code,
            f"targets.jenkins.options says {_OPTION} too",
            at=rule.span,
            hint="remove it there, or here",
        )


def _check_interruptible(plans: Sequence[Plan], report: Report) -> None:
    """Report stages that shall run to their end: a run of Jenkins is cancelled as a whole."""
    for job in (job for plan in plans for job in plan.jobs):
        if job.limits.interruptible is False:
            report.add(
                CANCELLED_ALL_THE_SAME.code,
                f'Jenkins cancels a run as a whole, stage "{job.title}" too',
                at=job.limits.interruptible_span or job.span,
                hint='leave "cancel" out of the concurrency, so that runs go one after the other',
            )
