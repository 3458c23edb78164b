"""Stages of a called pipeline that run in place of the calling stage."""

from __future__ import annotations

from pipegen.bindings.groups import INSIDE
from pipegen.config.model import Email, PipelineConfig, StageConfig, StepValue
from pipegen.plan.expansion.stop_stages import renamed_stop, stop_of
from pipegen.source.text import Located
from pipegen.source.tree import Entry, Mapping, Scalar, Sequence
from pipegen.structs import replace


def stage_in_caller(stage: StageConfig, caller: StageConfig, callee: PipelineConfig) -> StageConfig:
    """Return *stage* of *callee* as it runs in place of *caller*, with the defaults of its own pipeline."""
    prefix = f"{caller.name.value}{INSIDE}"
    stop = stop_of(stage)
    if stop is not None:
        stage = renamed_stop(stage, f"{prefix}{stop.value}")
    return replace(
        stage,
        name=replace(stage.name, value=f"{prefix}{stage.name.value}"),
        within=f"{prefix}{stage.within}",
        when=_all(caller.when, callee.when, stage.when),
        directory=stage.directory or callee.directory or Located(".", callee.name.span),
        blubberfile=stage.blubberfile
        or callee.blubberfile
        or Scalar(f"{callee.name.value}/blubber.yaml", stage.name.span),
        email=_email(stage.email, callee.email),
    )


def _all(*conditions: StepValue | None) -> StepValue | None:
    """Return the condition that all of *conditions* hold, or None."""
    present = [condition for condition in conditions if condition is not None]
    if len(present) < 2:  # noqa: PLR2004 - the fewest that can be joined
        return present[0] if present else None
    node, span = present[0].node, present[0].span
    key = Scalar("all", span)
    return StepValue(
        Mapping((Entry(key, Sequence(tuple(condition.node for condition in present), node.span)),), node.span), span
    )


def _email(own: Email | None, outer: Email | None) -> Email | None:
    """Return the settings of *own*, with missing ones from *outer*."""
    if own is None or outer is None:
        return own or outer
    return replace(own, to=own.to or outer.to, subject=own.subject or outer.subject, body=own.body or outer.body)
