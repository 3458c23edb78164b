"""The names of images: the one that a job builds, and those that it uses."""

from __future__ import annotations

from pipegen.plan.model import BuildImage, Image, Job, Output
from pipegen.shell.host import Images, ShellEnvironment
from pipegen.shell.kept import ID, keeps_container
from pipegen.shell.lowering import Lowering
from pipegen.shell.names import kept_name
from pipegen.shell.quote import Literal, VariableExpansion, Word, shell_text


def keeps_image(job: Job, host: ShellEnvironment) -> bool:
    """Return whether the local tag of the image that *job* builds stays, for other jobs or a container that stays."""
    if not any(isinstance(step, BuildImage) for step in job.steps):
        return False
    # docker removes no image that a container is made of, be it a stopped one.
    return (job.shared.image and host.images is Images.LOCAL) or keeps_container(job, host)


def local_tag(job: Job, host: ShellEnvironment) -> Word:
    """Return the tag of the image that *job* builds."""
    return (Literal("localhost/"), *(kept_name(job, host) if keeps_image(job, host) else (ID,)))


def is_pushed(job: Job, host: ShellEnvironment) -> bool:
    """Return whether *job* pushes its image for other jobs."""
    return job.shared.image and host.images is Images.REGISTRY


def local_name(lowering: Lowering) -> Word:
    """Return the value of the job's own imageLocalName."""
    if is_pushed(lowering.job, lowering.host):
        return pushed_name(Output(lowering.job.stage, "imageID"), lowering)
    return local_tag(lowering.job, lowering.host)


def pushed_name(image_id: Output, lowering: Lowering) -> Word:
    """Return the name in the registry of a shared image."""
    variable = VariableExpansion(lowering.variables.outputs[image_id])
    return (*shell_text(lowering.host.image_repository), Literal(":"), variable)


def is_pulled(image: Image, job: Job, host: ShellEnvironment) -> bool:
    """Return whether *image* comes from the registry."""
    return image.producer not in (None, job.stage) and host.images is Images.REGISTRY
