"""Retries, timeouts and allowed failures of jobs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from operator import attrgetter

from pipegen.diagnostics.codes import LIMIT_OUT_OF_REACH, PIPELINE_TIMEOUT_PER_JOB
from pipegen.diagnostics.report import Report
from pipegen.plan import model as plan
from pipegen.source.text import Span
from pipegen.structs import replace
from pipegen.targets.gitlab.jobs.durations import in_words
from pipegen.targets.gitlab.model import UNLIMITED, LimitKeys, RetryKeys, VariableEntry

# https://docs.gitlab.com/ci/yaml/#retry
_MOST_RETRIES = 2
# https://docs.gitlab.com/ci/yaml/#tags: "The number of tags must be less than 50."
_MOST_TAGS = 49
# GitLab's own check of `environment:url`: "url is too long (maximum is 255 characters)".
_LONGEST_URL = 255
# https://docs.gitlab.com/ci/pipelines/settings/#set-a-limit-for-how-long-jobs-can-run
_LONGEST = 30 * 86_400
# The five minutes that the runner allows for after_script, and as much for the time before the script:
# https://docs.gitlab.com/ci/runners/configure_runners/#set-script-and-after_script-timeouts
_AROUND = 600
SCRIPT_TIMEOUT = "RUNNER_SCRIPT_TIMEOUT"
# https://docs.gitlab.com/ci/yaml/#retrywhen: GitLab's reasons by ours. A job is "stuck" when no runner accepts
# it or its runner is gone; a job that ran for too long has the reason job_execution_timeout.
SYSTEM_REASONS = {
    plan.SystemFailure.RUNNER: "runner_system_failure",
    plan.SystemFailure.STUCK: "stuck_or_timeout_failure",
    plan.SystemFailure.API: "api_failure",
    plan.SystemFailure.SCHEDULER: "scheduler_failure",
    plan.SystemFailure.DATA: "data_integrity_failure",
    plan.SystemFailure.UNKNOWN: "unknown_failure",
    plan.SystemFailure.UNSUPPORTED: "runner_unsupported",
    plan.SystemFailure.PREREQUISITES: "unmet_prerequisites",
    plan.SystemFailure.STALE: "stale_schedule",
    plan.SystemFailure.ARCHIVED: "archived_failure",
}
RETRY_REASONS = {
    plan.Failure.SCRIPT: ("script_failure",),
    plan.Failure.SYSTEM: tuple(SYSTEM_REASONS[failure] for failure in plan.USUAL_SYSTEM_FAILURES),
    plan.Failure.TIMEOUT: ("job_execution_timeout",),
}
# Otherwise bash replaces any exit code by 1: the runner's `: | eval "…"` is a pipeline under pipefail.
_KEEPS_EXIT_CODES = VariableEntry("FF_USE_NEW_BASH_EVAL_STRATEGY", "true")


def check_limits(job: plan.Job, *, is_bridge: bool, report: Report) -> None:
    """Report the limits of *job* that GitLab lacks, and GitLab's that it exceeds; a bridge supports only few."""
    for message, at, hint in (*_unsupported(job, is_bridge=is_bridge), *_too_much(job)):
        report.add(LIMIT_OUT_OF_REACH, message, at=at, hint=hint)


def check_pipeline_timeout(pipeline: plan.Plan, report: Report) -> None:
    """Report the timeout of *pipeline*: GitLab limits only single jobs."""
    if pipeline.timeout is not None:
        report.add(
            PIPELINE_TIMEOUT_PER_JOB,
            f'GitLab has no time limit for the pipeline "{pipeline.name}": each of its jobs gets it',
            at=pipeline.timeout.span,
            hint='set "timeout" of the stages, so that their sum is the limit',
        )


def within_pipeline(limits: plan.Limits, pipeline: plan.Plan) -> plan.Limits:
    """Return *limits* of a job with the shorter one of its timeout and that of *pipeline*."""
    timeouts = [timeout for timeout in (limits.timeout, pipeline.timeout) if timeout is not None]
    return replace(limits, timeout=min(timeouts, key=attrgetter("seconds"))) if timeouts else limits


def lower_limits(limits: plan.Limits, *, has_after: bool = False) -> LimitKeys:
    """Return *limits* as keys of a job; with *has_after*, its after script gets additional time."""
    allowed = limits.allow_failure
    if allowed is None and limits.retry is None and limits.timeout is None:
        return UNLIMITED
    seconds = min(limits.timeout.seconds, _LONGEST) if limits.timeout is not None else 0
    return LimitKeys(
        retry=_retry(limits.retry) if limits.retry is not None else None,
        timeout=in_words(_with_time_after(seconds) if _ends_script(limits, has_after=has_after) else seconds)
        if seconds
        else "",
        allow_failure=allowed is not None and allowed.is_certain,
        exit_codes=allowed.exit_codes if allowed is not None else (),
    )


def limit_variables(
    limits: plan.Limits, own: Iterable[plan.RunnerVariable], *, has_after: bool
) -> Iterator[VariableEntry]:
    """Yield the variables by which the runner enforces *limits*, except the job's *own* ones."""
    is_set = any(variable.name == _KEEPS_EXIT_CODES.name for variable in own)
    if limits.allow_failure is not None and limits.allow_failure.exit_codes and not is_set:
        yield _KEEPS_EXIT_CODES
    if limits.timeout is not None and _ends_script(limits, has_after=has_after):
        yield VariableEntry(SCRIPT_TIMEOUT, f"{limits.timeout.seconds}s")


def script_seconds(timeout: str, script_timeout: str) -> int:
    """Return the limit in *script_timeout*, a variable of a job with *timeout*; 0 if no generated job has this pair."""
    match = re.fullmatch("([1-9][0-9]{0,6})s", script_timeout)
    seconds = int(match[1]) if match is not None else 0
    return seconds if seconds and timeout == in_words(_with_time_after(seconds)) else 0


def _with_time_after(seconds: int) -> int:
    """Return the timeout of a job, in seconds, that ends its script after *seconds* and then runs after_script."""
    return min(seconds + _AROUND, _LONGEST)


def _ends_script(limits: plan.Limits, *, has_after: bool) -> bool:
    """Return whether the runner ends the script before the timeout of the job, so that after_script still runs.

    Not if timeouts are retried unlike other failures: GitLab recognizes only the timeout of the job.
    """
    retries_some = limits.retry is not None and len(limits.retry.on) < len(plan.Failure)
    return has_after and limits.timeout is not None and not retries_some


def _retry(retry: plan.Retry) -> RetryKeys:
    if len(retry.on) == len(plan.Failure) and not retry.of_system:
        return RetryKeys(retry.count)
    reasons = {**RETRY_REASONS}
    if retry.of_system:
        reasons[plan.Failure.SYSTEM] = tuple(SYSTEM_REASONS[failure] for failure in retry.of_system)
    return RetryKeys(
        retry.count, tuple(reason for kind in plan.Failure if kind in retry.on for reason in reasons[kind])
    )


def _unsupported(job: plan.Job, *, is_bridge: bool) -> Iterator[tuple[str, Span, str]]:
    """Yield a message, a location and a hint for each limit that GitLab lacks."""
    limits = job.limits
    if limits.retry is None and limits.timeout is None and limits.allow_failure is None:
        return
    triggers = any(isinstance(step, plan.TriggerJob) for step in job.steps)
    if limits.retry is not None and limits.retry.count > _MOST_RETRIES:
        yield (
            f'GitLab retries a job at most {_MOST_RETRIES} times; stage "{job.title}" asks for {limits.retry.count}',
            limits.retry.span,
            f"write {_MOST_RETRIES}, or retry inside the script",
        )
    if limits.timeout is not None and limits.timeout.seconds > _LONGEST:
        yield (
            f'GitLab stops every job after 30 days, and the timeout of stage "{job.title}" is longer',
            limits.timeout.span,
            "set at most 30 days",
        )
    if is_bridge and (limit := limits.retry or limits.timeout) is not None:
        yield (
            f'stage "{job.title}" only triggers another project, and GitLab has no such limits for trigger jobs',
            limit.span,
            "remove the limit, and limit the jobs of the other project",
        )
    if is_bridge and limits.allow_failure is not None and limits.allow_failure.exit_codes:
        yield (
            f'stage "{job.title}" only triggers another project, and GitLab has no exit codes for trigger jobs',
            limits.allow_failure.span,
            "write allow_failure: true",
        )
    if triggers and not is_bridge and limits.allow_failure is not None:
        yield (
            f'GitLab would start the trigger of stage "{job.title}" even after an allowed failure',
            limits.allow_failure.span,
            "move the trigger to a separate stage",
        )


def _too_much(job: plan.Job) -> Iterator[tuple[str, Span, str]]:
    """Yield a message, a location and a hint for each limit of GitLab that *job* exceeds."""
    if len(job.machine.labels) > _MOST_TAGS:
        yield (
            f'GitLab accepts at most {_MOST_TAGS} tags; stage "{job.title}" asks for {len(job.machine.labels)}',
            job.machine.labels_span or job.span,
            "give the runners one tag in place of several",
        )
    environment = job.deployment.environment
    url = environment.url if environment is not None else None
    if url is not None and (length := sum(len(part) for part in url.parts if isinstance(part, str))) > _LONGEST_URL:
        yield (
            f"GitLab accepts at most {_LONGEST_URL} characters in the URL of an environment; this one has {length}",
            url.span,
            "shorten it, for example by a page that forwards to it",
        )
