"""Schedules and concurrency of runs, which Jenkins has for whole jobs only."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.emit.groovy import literal
from pipegen.plan.model import Concurrency, Plan, Schedule, Timeout
from pipegen.targets.engine_names import group_resource
from pipegen.targets.jenkins.model import Property, PropertyKind, step_name
from pipegen.targets.jenkins.pairs import (
    CANCEL_OF_UNINTERRUPTIBLE,
    CONCURRENCY_AND_OPTION,
    DIFFERENT_CONCURRENCY,
    DIFFERENT_TIMEOUTS,
    DIFFERENT_ZONES,
    GROUPED_CANCEL,
)
from pipegen.targets.jenkins.settings import JenkinsSettings
from pipegen.targets.jenkins.stages.guards.limits import timeout_block

_LOCKS = "lockable-resources"
_OPTION = "disableConcurrentBuilds"
_Rule = TypeVar("_Rule", Concurrency, Timeout)


def run_properties(plans: Sequence[Plan], settings: JenkinsSettings, report: Report) -> Iterator[Property]:
    """Yield the properties of the job of *plans*; conflicts between pipelines, or with *settings*, are reported."""
    schedules = _schedules(plans, report)
    if schedules:
        lines = [f"TZ={schedules[0].timezone or 'UTC'}", *dict.fromkeys(schedule.cron for schedule in schedules)]
        # Of a multibranch job, only the primary branch of its repository is built.
        is_skipped = "env.BRANCH_NAME && !env.BRANCH_IS_PRIMARY"
        yield Property(PropertyKind.TRIGGER, f"cron({is_skipped} ? '' : {literal(chr(10).join(lines))})")
    rule = _concurrency(plans, report)
    if rule is not None and rule.group is None:
        argument = "abortPrevious: true" if rule.cancels else ""
        _check_option(rule, settings, report)
        yield Property(PropertyKind.SETTING, f"{_OPTION}({argument})")
    if rule is not None and rule.group is not None:
        yield Property(PropertyKind.AROUND, f"lock(resource: {literal(group_resource(rule.group))})", _LOCKS)
    timeout = _timeout(plans, report)
    if timeout is not None:
        yield Property(PropertyKind.AROUND, timeout_block(timeout.seconds), span=timeout.span)


def waits_for_others(plan: Plan) -> bool:
    """Return whether a run of *plan* waits for runs of other jobs before its first stage."""
    return plan.concurrency is not None and plan.concurrency.group is not None


def _schedules(plans: Sequence[Plan], report: Report) -> tuple[Schedule, ...]:
    """Return the schedules of the job, which must all have the same time zone."""
    schedules = tuple(schedule for plan in plans for schedule in plan.schedules)
    for other in schedules[1:]:
        if other.timezone != schedules[0].timezone:
            report.add(
                DIFFERENT_ZONES.code,
                f"Jenkins has one time zone for all schedules of a job, and {other.timezone or 'UTC'} is a second one",
                at=other.span,
                related=[Label(schedules[0].span, f"in {schedules[0].timezone or 'UTC'}")],
                hint="use one time zone for all schedules",
            )
            break
    return schedules


def _concurrency(plans: Sequence[Plan], report: Report) -> Concurrency | None:
    """Return the concurrency of the job, which must be the same for all pipelines."""
    first = next((plan for plan in plans if plan.concurrency is not None), None)
    rule = first.concurrency if first is not None else None
    if first is None or rule is None:
        return None
    other = _other(plans, rule, lambda plan: plan.concurrency)
    if other is not None:
        report.add(
            DIFFERENT_CONCURRENCY.code,
            f'pipelines "{first.name}" and "{other.name}" run in one Jenkins job, which has one concurrency setting',
            at=rule.span,
            related=[Label(other.concurrency.span if other.concurrency is not None else other.span, "differs")],
            hint="use the same concurrency, compile one of them alone with --pipeline for a separate job, or give the "
            "stages that must not overlap a common lock",
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


def _other(plans: Sequence[Plan], value: _Rule, read: Callable[[Plan], _Rule | None]) -> Plan | None:
    """Return a plan with another value than *value*; a pipeline that others call has theirs, unless it has its own."""
    return next((plan for plan in plans if read(plan) != value and not (plan.is_called and read(plan) is None)), None)


def _timeout(plans: Sequence[Plan], report: Report) -> Timeout | None:
    """Return the timeout of the job, which must be the same for all pipelines."""
    first = next((plan for plan in plans if plan.timeout is not None), None)
    if first is None or first.timeout is None:
        return None
    other = _other(plans, first.timeout, lambda plan: plan.timeout)
    if other is not None:
        report.add(
            DIFFERENT_TIMEOUTS.code,
            f'pipelines "{first.name}" and "{other.name}" run in one Jenkins job, which has one timeout',
            at=first.timeout.span,
            related=[Label(other.timeout.span if other.timeout is not None else other.span, "differs")],
            hint="use the same timeout, or compile one of them alone with --pipeline for a separate job",
        )
    return first.timeout


def _check_option(rule: Concurrency, settings: JenkinsSettings, report: Report) -> None:
    """Report an option of the settings that duplicates or contradicts *rule*: Jenkins uses only one of them."""
    if _OPTION in map(step_name, settings.options):
        report.add(
            CONCURRENCY_AND_OPTION.code,
            f"targets.jenkins.options also contains {_OPTION}",
            at=rule.span,
            hint="remove it there, or here",
        )


def _check_interruptible(plans: Sequence[Plan], report: Report) -> None:
    """Report stages that must not be interrupted: Jenkins cancels whole runs."""
    for job in (job for plan in plans for job in plan.jobs):
        if job.limits.interruptible is False:
            report.add(
                CANCEL_OF_UNINTERRUPTIBLE.code,
                "Jenkins cancels a run as a whole, also the stages that must not be interrupted",
                at=job.limits.interruptible_span or job.span,
                hint='leave "cancel" out of the concurrency, so that runs go one after the other',
            )
