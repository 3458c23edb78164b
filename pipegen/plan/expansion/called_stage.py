"""A stage of a called pipeline, as it runs in the place of the stage that calls."""

from __future__ import annotations

from pipegen.bindings.groups import INSIDE
from pipegen.config.model import Email, PipelineConfig, StageConfig, StepValue
from pipegen.plan.expansion.stop_stages import renamed_stop, stop_of
from pipegen.source.text import Located
from pipegen.source.tree import Entry, Mapping, Scalar, Sequence
from pipegen.structs import replace


def inside(stage: StageConfig, caller: StageConfig, callee: PipelineConfig) -> StageConfig:
    """Return *stage* of *callee* as it stands in the place of *caller*, with what its own pipeline says for it."""
    within = f"{caller.name.value}{INSIDE}"
    stop = stop_of(stage)
    if stop is not None:
        stage = renamed_stop(stage, f"{within}{stop.value}")
    return replace(
        stage,
        name=replace(stage.name, value=f"{within}{stage.name.value}"),
        within=f"{within}{stage.within}",
        when=_all(caller.when, callee.when, stage.when),
        directory=stage.directory or callee.directory or Located(".", callee.name.span),
        blubberfile=stage.blubberfile
        or callee.blubberfile
        or Scalar(f"{callee.name.value}/blubber.yaml", stage.name.span),
        email=_email(stage.email, callee.email),
    )


def _all(*conditions: StepValue | None) -> StepValue | None:
    """Return the condition that all of *conditions* hold; None for none."""
    given = [one for one in conditions if one is not None]
    if len(given) < 2:  # noqa: PLR2004 - the fewest that can be joined
        return given[0] if given else None
    node, span = given[0].node, given[0].span
    key = Scalar("all", span)
    return StepValue(Mapping((Entry(key, Sequence(tuple(one.node for one in given), node.span)),), node.span), span)


def _email(own: Email | None, outer: Email | None) -> Email | None:
    """Return what *own* says, and *outer* where it says nothing."""
    if own is None or outer is None:
        return own or outer
    return replace(own, to=own.to or outer.to, subject=own.subject or outer.subject, body=own.body or outer.body)
