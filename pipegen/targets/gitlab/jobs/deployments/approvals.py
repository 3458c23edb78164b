"""Approvals, delays and environments of jobs."""

from __future__ import annotations

from collections.abc import Mapping

from pipegen.diagnostics.codes import APPROVAL_ON_GITLAB
from pipegen.diagnostics.report import Report
from pipegen.plan import model as plan
from pipegen.plan.model.logic import can_hold
from pipegen.structs import replace
from pipegen.targets.gitlab.jobs.durations import in_words
from pipegen.targets.gitlab.model import EnvironmentKeys, GitLabJob, RuleEntry
from pipegen.targets.gitlab.pairs import APPROVED_AND_ALLOWED

_MANUAL, _DELAYED, _NEVER = "manual", "delayed", "never"


def with_start(
    gitlab_job: GitLabJob, job: plan.Job, environment: EnvironmentKeys | None, titles: Mapping[str, str]
) -> GitLabJob:
    """Return *gitlab_job* with the start conditions of *job*; *titles* are the names of stages' jobs."""
    if environment is not None:
        on_stop = titles[environment.on_stop] if environment.on_stop else ""
        gitlab_job = replace(gitlab_job, environment=replace(environment, on_stop=on_stop))
    deployment = job.deployment
    if environment is not None and environment.stops:
        # A person starts it, and no job waits for it.
        limits = replace(gitlab_job.limits, allow_failure=True, exit_codes=())
        return replace(_started(gitlab_job, _MANUAL, ""), limits=limits)
    if deployment.approval is not None:
        message = (deployment.approval.message or "") if gitlab_job.trigger is None else ""
        if deployment.approval.condition is not None:
            return replace(gitlab_job, manual_confirmation=message)
        return replace(_manual(gitlab_job, deployment.approval), manual_confirmation=message)
    if deployment.delay is not None and gitlab_job.trigger is None:
        return _started(gitlab_job, _DELAYED, in_words(deployment.delay.seconds))
    return gitlab_job


def check_deployment(job: plan.Job, report: Report) -> None:
    """Report settings of the deployment of *job* that GitLab handles differently."""
    approval, allowed = job.deployment.approval, job.limits.allow_failure
    if approval is not None and approval.approvers:
        has_environment = job.deployment.environment is not None
        approvers = " and ".join(approval.approvers)
        report.add(
            APPROVAL_ON_GITLAB,
            f'on GitLab, anyone who may run jobs can start stage "{job.title}", not only {approvers}',
            at=approval.span,
            hint="protect the environment of the stage in the project, and set there who may deploy to it"
            if has_environment
            else "give the stage an environment, and protect the environment in the project",
        )
    is_blocking = approval is not None and not approval.is_optional
    if is_blocking and allowed is not None and not allowed.exit_codes and _overlap(approval, allowed):
        report.add(
            APPROVED_AND_ALLOWED.code,
            f'GitLab ignores "allow_failure" of stage "{job.title}": it does not wait for manual jobs that may fail',
            at=allowed.span,
            hint='remove "allow_failure", or put the approval into a separate stage',
        )


def _overlap(approval: plan.Approval | None, allowed: plan.AllowFailure) -> bool:
    """Return whether a run may need *approval* of a job whose failures are *allowed* in it."""
    conditions = tuple(
        setting.condition for setting in (approval, allowed) if setting is not None and setting.condition is not None
    )
    return can_hold(plan.AllOf(conditions))


def _manual(gitlab_job: GitLabJob, approval: plan.Approval) -> GitLabJob:
    """Return *gitlab_job*, which a person starts; later jobs wait for that unless the *approval* is optional."""
    started = _started(gitlab_job, _MANUAL, "")
    if approval.is_optional:
        return started
    # Of a job that its rules make manual, this is the default: https://docs.gitlab.com/ci/yaml/#allow_failure
    is_blocking, limits = not gitlab_job.rules, gitlab_job.limits
    return replace(
        started,
        is_blocking=is_blocking,
        limits=replace(limits, allow_failure=False) if limits.allow_failure else limits,
    )


def _started(gitlab_job: GitLabJob, when: str, start_in: str) -> GitLabJob:
    """Return *gitlab_job* with *when* in all rules that let it run."""
    if not gitlab_job.rules:
        return replace(gitlab_job, when=when, start_in=start_in)
    return replace(gitlab_job, rules=tuple(_rule(rule, when, start_in) for rule in gitlab_job.rules))


def _rule(rule: RuleEntry, when: str, start_in: str) -> RuleEntry:
    return rule if rule.when == _NEVER else replace(rule, when=when, start_in=start_in)
