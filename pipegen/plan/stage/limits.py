"""Retries, timeouts and allowed failures of a stage."""

from __future__ import annotations

from pipegen.config.model import PipelineConfig, StageConfig, StepValue
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.plan.durations import seconds
from pipegen.plan.model import (
    NEVER,
    USUAL_SYSTEM_FAILURES,
    AllowFailure,
    Approval,
    Failure,
    Limits,
    Retry,
    SystemFailure,
    Timeout,
)
from pipegen.plan.stage.conditions.cases import condition_without_files
from pipegen.plan.values import StageValues
from pipegen.source.tree import Mapping, Node, Scalar, ScalarKind, is_true, scalars_of
from pipegen.structs import replace

# Engines limit the number of seconds; a year is below all limits.
_LONGEST = 366 * 86_400
_MINUTE = 60
_NONE = Limits()
_OF_SYSTEM = {failure.value: failure for failure in SystemFailure}


def limits(stage: StageConfig, approval: Approval | None, values: StageValues) -> Limits:
    """Return the limits of *stage*, which has this *approval* and starts with *values*."""
    is_optional = approval is not None and approval.is_optional
    if stage.retry is None and stage.timeout is None and stage.allow_failure is None and not is_optional:
        return _NONE
    return Limits(
        retry=_retry(stage.retry),
        timeout=time_limit(stage.timeout, "stage", values.report),
        allow_failure=_allow_failure(stage, approval, values),
    )


def with_interruptible(limits: Limits, stage: StageConfig) -> Limits:
    """Return *limits* with the `interruptible` of *stage*."""
    value = stage.interruptible
    if value is None or not isinstance(value.node, Scalar):
        return limits
    return replace(limits, interruptible=is_true(value.node), interruptible_span=value.span)


def fails_fast(pipeline: PipelineConfig) -> bool:
    """Return whether *pipeline* starts no more stages after a failure."""
    return pipeline.fail_fast is not None and is_true(pipeline.fail_fast.node)


def check_mail(stage: StageConfig, allowed: AllowFailure | None, report: Report) -> None:
    """Report a mail of *stage* that is never sent, since all failures are *allowed*."""
    if stage.email is None or allowed is None or not allowed.is_certain:
        return
    report.add(
        codes.MAIL_OF_ALLOWED_FAILURE,
        f'no mail is sent for stage "{stage.display_name}", which is allowed to fail',
        at=stage.email.span,
        hint='remove "notify", or allow only some failures: "allow_failure: {exit_codes: […]}"',
    )


def _retry(value: StepValue | None) -> Retry | None:
    """Return the retries; None for 0."""
    if value is None:
        return None
    node = value.node
    count = _whole(node.get("count") if isinstance(node, Mapping) else node)
    if not count:
        return None
    words = [kind.text for kind in scalars_of(node.get("on"))] if isinstance(node, Mapping) else []
    kinds = dict.fromkeys(Failure.SYSTEM if word in _OF_SYSTEM else Failure(word) for word in words)
    parts = dict.fromkeys(_OF_SYSTEM[word] for word in words if word in _OF_SYSTEM)
    if Failure.SYSTEM.value in words:
        parts = {} if parts.keys() <= {*USUAL_SYSTEM_FAILURES} else {**dict.fromkeys(USUAL_SYSTEM_FAILURES), **parts}
    return Retry(count, tuple(kinds) or tuple(Failure), value.span, tuple(parts))


def time_limit(value: StepValue | None, noun: str, report: Report) -> Timeout | None:
    """Return the `timeout` *value* of a stage or pipeline, its *noun*; None without it."""
    if value is None or not isinstance(value.node, Scalar):
        return None
    timeout = seconds(value.node, report)
    if timeout > _LONGEST:
        report.add(
            codes.INVALID_VALUE,
            f'"{value.node.text.strip()}" is longer than a year',
            at=value.node.span,
            hint=f'set the time that the {noun} may take, such as "2 hours"',
        )
    if 0 < timeout < _MINUTE and (value.node.kind is ScalarKind.INTEGER or value.node.text.strip().isdigit()):
        report.add(
            codes.SHORT_TIMEOUT,
            f"this {noun} may take {timeout} second{'s' if timeout > 1 else ''}: a number without a unit is in seconds",
            at=value.node.span,
            hint=f'write "{timeout} minutes" if the unit is minutes, as in Jenkins, or "{timeout}s"',
        )
    return Timeout(timeout, value.span)


def _allow_failure(stage: StageConfig, approval: Approval | None, values: StageValues) -> AllowFailure | None:
    """Return the allowed failures of *stage*: those of an optional stage never count."""
    value = stage.allow_failure
    if approval is not None and approval.is_optional and (value is None or approval.condition is None):
        return AllowFailure((), approval.span, approval.condition)
    if value is None:
        return None
    if isinstance(value.node, Mapping):
        when = value.node.entry("when")
        condition = None
        if when is not None:
            condition = condition_without_files(when, values, "no failure is allowed", "allow_failure")
        codes_ = (_whole(code) for code in scalars_of(value.node.get("exit_codes")))
        return AllowFailure(tuple(dict.fromkeys(codes_)), value.span, condition) if condition != NEVER else None
    return AllowFailure((), value.span) if is_true(value.node) else None


def _whole(node: Node | None) -> int:
    return node.value if isinstance(node, Scalar) and isinstance(node.value, int) else 0
