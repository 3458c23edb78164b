"""Docker agents: a container around a whole declarative stage in a shared workspace."""

from __future__ import annotations

from pipegen.plan.model import Workspace
from pipegen.structs import Struct, replace
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.named_jobs import NamedJob
from pipegen.targets.jenkins.stages.guards.limits import LimitedSteps

# `inImage` also sets this: the agent's user, which may not exist in the image, needs a home.
_HOME = "-e HOME=/tmp"


class ContainerSteps(Struct):
    """Steps, and the container around all of them; None if they contain one themselves, or have none."""

    container: model.ContainerAgent | None
    steps: tuple[model.Step, ...]


def contained(named: NamedJob, limited: LimitedSteps) -> ContainerSteps:
    """Return the steps of a declarative stage, outside the image that they all use.

    A docker agent works like `inside`, but is around the checkout, retries, timeouts and waits, and before `post`,
    which does not run if the container cannot start. So it is only for stages in a shared workspace without any of
    these. A stage with its own workspace checks out with git, which an image may lack.
    """
    if named.plan.workspace is Workspace.SHARED and named.job.mail is None and limited.agent is None and limited.steps:
        first, *others = limited.steps
        if all(isinstance(other, model.Archive) for other in others):
            match first:
                case model.InImage() if container := _container(first):
                    return ContainerSteps(container, (*first.steps, *others))
                case model.Ensured(steps=(model.InImage() as inner,)) if container := _container(inner):
                    return ContainerSteps(container, (replace(first, steps=inner.steps), *others))
    return ContainerSteps(None, limited.steps)


def _container(step: model.InImage) -> model.ContainerAgent | None:
    """Return the docker agent equivalent to *step*, None if it has services, or an image name of the run."""
    if step.services or not isinstance(step.image, str):
        return None
    return model.ContainerAgent(image=step.image, args=f"{_HOME} {step.args}".strip(), is_pulled=step.is_pulled)
