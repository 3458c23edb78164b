"""PipelineLib's steps, in a module that only scripts with such steps import."""

from __future__ import annotations

from collections.abc import Iterator

from pipegen.plan.model import BuildImage, Copy, Deploy, Promote, PublishImage, RunContainer
from pipegen.shell.command import Command
from pipegen.shell.lowering import Lowering
from pipegen.shell.steps.build import build
from pipegen.shell.steps.copy import copy
from pipegen.shell.steps.deploy import deploy
from pipegen.shell.steps.promote import promote
from pipegen.shell.steps.publish import publish
from pipegen.shell.steps.run import run


def lower(
    step: BuildImage | RunContainer | Copy | PublishImage | Promote | Deploy, lowering: Lowering
) -> Iterator[Command]:
    """Return the commands of *step*."""
    match step:
        case BuildImage():
            return build(step, lowering)
        case RunContainer():
            return run(step, lowering)
        case Copy():
            return copy(step, lowering)
        case PublishImage():
            return publish(step, lowering)
        case Promote():
            return promote(step, lowering)
        case Deploy():
            return deploy(step, lowering)
