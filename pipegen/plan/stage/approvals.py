"""The approval or the delay that a stage waits for."""

from __future__ import annotations

from pipegen.config.model import StageConfig
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.plan.durations import seconds
from pipegen.plan.model import NEVER, Approval, Delay
from pipegen.plan.stage.conditions.cases import run_condition
from pipegen.plan.values import StageValues
from pipegen.source.tree import Mapping, Node, Scalar, ScalarKind, is_true, items_of

_DAY = 86_400
# GitLab delays jobs by at most a week: https://docs.gitlab.com/ci/jobs/job_control/#run-a-job-after-a-delay
_LONGEST_DELAY = 7 * _DAY


def approval(stage: StageConfig, values: StageValues) -> tuple[Approval | None, Delay | None]:
    """Return the approval of *stage*, or its delay; errors in them are reported."""
    if stage.approve is None:
        return None, None
    node, span, report = stage.approve.node, stage.approve.span, values.report
    if isinstance(node, Scalar):
        if node.kind is ScalarKind.BOOLEAN:
            return (Approval(message=None, span=span) if node.value is True else None), None
        return Approval(message=_message(node, report), span=span), None
    body = node if isinstance(node, Mapping) else Mapping((), span)
    delay, message = body.get("delay"), body.get("message")
    if isinstance(delay, Scalar):
        _check_delayed(body, report)
        return None, Delay(_delay(delay, report), span)
    _check_optional(stage, body, report)
    when = stage.approval_condition
    condition = run_condition(when, values, "no run needs an approval") if when is not None else None
    if condition == NEVER:
        return None, None
    return Approval(
        message=_message(message, report) if isinstance(message, Scalar) else None,
        approvers=tuple(dict.fromkeys(_names(body.get("approvers"), report))),
        is_optional=stage.has_optional_approval,
        timeout=_timeout(body.get("timeout"), report) if stage.has_optional_approval else None,
        condition=condition,
        span=span,
    ), None


def _check_delayed(body: Mapping, report: Report) -> None:
    """Report keys for an approval together with a delay."""
    for key in ("message", "approvers", "optional", "timeout", "when"):
        entry = body.entry(key)
        if entry is not None:
            report.add(
                codes.INVALID_VALUE,
                f'a stage with a "delay" starts by itself, so "{key}" has no effect',
                at=entry.key.span,
                hint=f'remove "{key}", or "delay" to ask a person',
            )


def _check_optional(stage: StageConfig, body: Mapping, report: Report) -> None:
    """Report limits that differ between stages that are optional and others."""
    timeout = body.entry("timeout")
    if timeout is not None and not stage.has_optional_approval:
        report.add(
            codes.INVALID_VALUE,
            'only an optional stage is skipped without an answer, so "timeout" has no effect',
            at=timeout.key.span,
            hint='remove it, or add "optional: true"',
        )
    allowed = stage.allow_failure
    if allowed is not None and stage.has_optional_approval and not is_true(allowed.node):
        report.add(
            codes.INVALID_VALUE,
            f'stage "{stage.display_name}" is optional, so its failure never counts',
            at=allowed.span,
            hint='remove "allow_failure", allow every failure, or remove "optional" from "approve"',
        )


def _timeout(node: Node | None, report: Report) -> int:
    return seconds(node, report) if isinstance(node, Scalar) else _DAY


def _delay(node: Scalar, report: Report) -> int:
    delay = seconds(node, report)
    if delay > _LONGEST_DELAY:
        report.add(
            codes.INVALID_VALUE,
            "a delay is at most a week",
            at=node.span,
            hint='ask a person with "message", or run a pipeline with "schedule"',
        )
    return delay


def _message(node: Scalar, report: Report) -> str:
    if not node.text.strip():
        hint = 'write a question, or "approve: true"'
        report.add(codes.INVALID_VALUE, "the question is empty", at=node.span, hint=hint)
    return " ".join(node.text.split())


def _names(node: Node | None, report: Report) -> list[str]:
    names = []
    for item in items_of(node):
        if not isinstance(item, Scalar):
            continue
        if "," in item.text or not item.text.strip():
            report.add(
                codes.INVALID_VALUE,
                f'"{item.text}" is not a name of a user or group',
                at=item.span,
                hint="write one name per item",
            )
        names.append(item.text.strip())
    return names
