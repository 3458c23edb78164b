"""Concurrent runs of a pipeline, and stages that a newer run may cancel."""

from __future__ import annotations

from pipegen.config.model import StageConfig, StepValue
from pipegen.plan.model import Concurrency, Limits
from pipegen.source.tree import Mapping, Scalar
from pipegen.structs import replace


def concurrency(value: StepValue | None) -> Concurrency | None:
    """Return the settings of `concurrency`, the name of a group or a map; None without it."""
    if value is None:
        return None
    body = value.node
    group = body.get("group") if isinstance(body, Mapping) else body
    cancel = body.get("cancel") if isinstance(body, Mapping) else None
    return Concurrency(
        group=(group.text or None) if isinstance(group, Scalar) else None,
        cancels=isinstance(cancel, Scalar) and cancel.value is True,
        span=value.span,
    )


def with_interruptible(limits: Limits, stage: StageConfig) -> Limits:
    """Return *limits* with the `interruptible` of *stage*."""
    value = stage.interruptible
    if value is None or not isinstance(value.node, Scalar):
        return limits
    return replace(limits, interruptible=value.node.value is True, interruptible_span=value.span)
