"""Names of the images that jobs build and use."""

from __future__ import annotations

from pipegen.plan.model import BuildImage, Image, Job, Output
from pipegen.shell.host import Images, ShellEnvironment
from pipegen.shell.lowering import Lowering
from pipegen.shell.names import ID, is_container_retained, retained_name
from pipegen.shell.quote import Literal, VariableExpansion, Word, shell_text


def is_image_retained(job: Job, host: ShellEnvironment) -> bool:
    """Return whether the image that *job* builds keeps its local tag, for other jobs or a retained container."""
    if not any(isinstance(step, BuildImage) for step in job.steps):
        return False
    # docker does not remove the image of a container, even of a stopped one.
    return (job.shared.image and host.images is Images.LOCAL) or is_container_retained(job, host)


def local_tag(job: Job, host: ShellEnvironment) -> Word:
    """Return the tag of the image that *job* builds."""
    return (Literal("localhost/"), *(retained_name(job, host) if is_image_retained(job, host) else (ID,)))


def is_pushed(job: Job, host: ShellEnvironment) -> bool:
    """Return whether *job* pushes its image for other jobs."""
    return job.shared.image and host.images is Images.REGISTRY


def local_name(lowering: Lowering) -> Word:
    """Return the value of the job's `imageLocalName`."""
    if is_pushed(lowering.job, lowering.host):
        return pushed_name(Output(lowering.job.stage, "imageID"), lowering)
    return local_tag(lowering.job, lowering.host)


def pushed_name(image_id: Output, lowering: Lowering) -> Word:
    """Return the registry name of a shared image."""
    variable = VariableExpansion(lowering.variables.outputs[image_id])
    return (*shell_text(lowering.host.image_repository), Literal(":"), variable)


def is_pulled(image: Image, job: Job, host: ShellEnvironment) -> bool:
    """Return whether *image* comes from the registry."""
    return image.producer not in (None, job.stage) and host.images is Images.REGISTRY
