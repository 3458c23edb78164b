"""Docker agents: a container around a whole declarative stage that stays in the workspace of all."""

from __future__ import annotations

from pipegen.plan.model import Workspace
from pipegen.structs import Struct, replace
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.named_jobs import NamedJob
from pipegen.targets.jenkins.stages.limits import LimitedSteps

# What `inImage` gives each container: the user of the agent, whom an image need not know, has a home.
_HOME = "-e HOME=/tmp"


class ContainerSteps(Struct):
    """Steps, and the container around all of them; None where they take one themselves, or none."""

    container: model.ContainerAgent | None
    steps: tuple[model.Step, ...]


def contained(named: NamedJob, found: LimitedSteps) -> ContainerSteps:
    """Return the steps of a declarative stage out of the image that all of them are for.

    Such an agent is `inside` by another name, but for where it stands: around the checkout, around tries, their time
    and what waits, and before `post`, which does not run when the container cannot start. So it is for what a stage
    in a shared workspace does at once. A stage with a workspace of its own checks out with git, which no image needs.
    """
    if named.plan.workspace is Workspace.SHARED and named.job.mail is None and found.agent is None and found.steps:
        first, *others = found.steps
        if all(isinstance(other, model.Archive) for other in others):
            match first:
                case model.InImage() if container := _container(first):
                    return ContainerSteps(container, (*first.steps, *others))
                case model.Ensured(steps=(model.InImage() as inner,)) if container := _container(inner):
                    return ContainerSteps(container, (replace(first, steps=inner.steps), *others))
    return ContainerSteps(None, found.steps)


def _container(step: model.InImage) -> model.ContainerAgent | None:
    """Return the agent that says what *step* does, None where none can: it has services, or a name of the run."""
    if step.services or not isinstance(step.image, str):
        return None
    return model.ContainerAgent(image=step.image, args=f"{_HOME} {step.args}".strip(), is_pulled=step.is_pulled)
