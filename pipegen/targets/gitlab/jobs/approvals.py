"""What a job waits for, and what it deploys to."""

from __future__ import annotations

from collections.abc import Mapping

from pipegen.diagnostics.codes import APPROVAL_ON_GITLAB
from pipegen.diagnostics.report import Report
from pipegen.plan import model as plan
from pipegen.structs import replace
from pipegen.targets.gitlab.jobs.durations import in_words
from pipegen.targets.gitlab.model import EnvironmentKeys, GitLabJob, RuleEntry
from pipegen.targets.gitlab.pairs import APPROVED_AND_ALLOWED

_MANUAL, _DELAYED, _NEVER = "manual", "delayed", "never"


def gated(made: GitLabJob, job: plan.Job, environment: EnvironmentKeys | None, titles: Mapping[str, str]) -> GitLabJob:
    """Return *made*, which stands for *job*, with what it waits for; *titles* are the names of stages' jobs."""
    if environment is not None:
        on_stop = titles[environment.on_stop] if environment.on_stop else ""
        made = replace(made, environment=replace(environment, on_stop=on_stop))
    deployment = job.deployment
    if environment is not None and environment.stops:
        # A person starts it, and nobody waits for that.
        limits = replace(made.limits, allow_failure=True, exit_codes=())
        return replace(_started(made, _MANUAL, ""), limits=limits)
    if deployment.approval is not None:
        message = (deployment.approval.message or "") if made.trigger is None else ""
        return replace(_started(made, _MANUAL, ""), is_blocking=True, manual_confirmation=message)
    if deployment.delay is not None and made.trigger is None:
        return _started(made, _DELAYED, in_words(deployment.delay.seconds))
    return made


def check_deployment(job: plan.Job, report: Report) -> None:
    """Report what of the gate of *job* GitLab does in another way."""
    approval, allowed = job.deployment.approval, job.limits.allow_failure
    if approval is not None and approval.approvers:
        who = " and ".join(approval.approvers)
        report.add(
            APPROVAL_ON_GITLAB,
            f'GitLab lets whoever may run jobs start stage "{job.title}", not {who} alone',
            at=approval.span,
            hint="say in the project who may deploy: give the stage an environment, and protect that one",
        )
    if approval is not None and allowed is not None and not allowed.exit_codes:
        report.add(
            APPROVED_AND_ALLOWED.code,
            f'a failure of stage "{job.title}" counts on GitLab: nobody waits for a manual job that may fail',
            at=allowed.span,
            hint='leave out "allow_failure", or let a stage of its own wait for the approval',
        )


def _started(made: GitLabJob, when: str, start_in: str) -> GitLabJob:
    """Return *made* so that it starts by *when*, in all cases in which it is in a pipeline."""
    if not made.rules:
        return replace(made, when=when, start_in=start_in)
    return replace(made, rules=tuple(_rule(rule, when, start_in) for rule in made.rules))


def _rule(rule: RuleEntry, when: str, start_in: str) -> RuleEntry:
    return rule if rule.when == _NEVER else replace(rule, when=when, start_in=start_in)
