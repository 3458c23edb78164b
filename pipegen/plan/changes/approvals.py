"""Approvals that depend on changed files, once these are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from pipegen.plan.changes.filters import evaluated, is_filtered
from pipegen.plan.changes.stages import detached, with_graph
from pipegen.plan.expansion.optional_stages import without_optional_waits
from pipegen.plan.model import NEVER, AllowFailure, Approval, FilesChanged, Job, Plan
from pipegen.structs import replace

_Setting = TypeVar("_Setting", Approval, AllowFailure)


def with_evaluated_approvals(plan: Plan, changed: Callable[[FilesChanged], bool]) -> Plan:
    """Return *plan* with its approvals when files have *changed*.

    No stage waits for one that is now optional in all runs, or gets its outputs and files.
    """
    jobs = tuple(_evaluated_job(job, changed) for job in plan.jobs)
    optional = {
        job.stage: job.deployment.environment.on_stop if job.deployment.environment is not None else None
        for job, before in zip(jobs, plan.jobs, strict=True)
        if _is_optional(job) and not _is_optional(before)
    }
    if not optional:
        return replace(plan, jobs=jobs)
    read = [job if job.is_final or job.stage in optional.values() else detached(job, optional) for job in jobs]
    return with_graph(plan, without_optional_waits(plan.graph, optional), read)


def _is_optional(job: Job) -> bool:
    approval = job.deployment.approval
    return approval is not None and approval.is_optional and approval.condition is None


def _evaluated_job(job: Job, changed: Callable[[FilesChanged], bool]) -> Job:
    approval, allowed = job.deployment.approval, job.limits.allow_failure
    if approval is None or not is_filtered(approval.condition):
        return job
    deployment = replace(job.deployment, approval=_evaluated_setting(approval, changed))
    return replace(
        job,
        deployment=deployment,
        limits=replace(job.limits, allow_failure=_evaluated_setting(allowed, changed) if allowed is not None else None),
    )


def _evaluated_setting(setting: _Setting, changed: Callable[[FilesChanged], bool]) -> _Setting | None:
    """Return *setting* in the runs for which its condition remains when files have *changed*, None for no runs."""
    condition = evaluated(setting.condition, changed)
    return replace(setting, condition=condition) if condition != NEVER else None
