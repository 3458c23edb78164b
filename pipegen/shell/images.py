"""Names of the images that jobs build and use."""

from __future__ import annotations

from collections.abc import Iterator

from pipegen.bindings.expression import Text
from pipegen.plan.model import BuildImage, Image, Job, Machine, Output, Plan, PublishImage, RunContainer, Step
from pipegen.plan.model.texts import job_texts, outputs_in
from pipegen.shell.host import Images, ShellEnvironment
from pipegen.shell.lowering import Lowering
from pipegen.shell.names import ID, is_container_retained, retained_name, short_slug
from pipegen.shell.quote import Literal, VariableExpansion, Word, shell_text
from pipegen.structs import replace

_ID = "imageID"
# The outputs that name the image of a stage.
IMAGE_OUTPUTS = frozenset((_ID, "imageLocalName"))


def is_image_retained(job: Job, host: ShellEnvironment) -> bool:
    """Return whether the image that *job* builds keeps its local tag, for other jobs or a retained container."""
    if not any(isinstance(step, BuildImage) for step in job.steps):
        return False
    # docker does not remove the image of a container, even of a stopped one.
    return (job.shared.image and host.images is Images.LOCAL) or is_container_retained(job, host)


def local_tag(job: Job, host: ShellEnvironment) -> Word:
    """Return the tag of the image that *job* builds."""
    if is_image_retained(job, host):
        return (Literal("localhost/"), *retained_name(job, host))
    if is_pushed(job, host) and host.names_images:
        return _named_image(job, host)
    name = (Literal(f"{short_slug(job)}:"), *shell_text(host.job_id)) if host.is_disposable else (ID,)
    return (Literal("localhost/"), *name)


def is_pushed(job: Job, host: ShellEnvironment) -> bool:
    """Return whether *job* pushes its image for other jobs."""
    return job.shared.image and host.images is Images.REGISTRY


def local_name(lowering: Lowering) -> Word:
    """Return the value of the job's `imageLocalName`."""
    if is_pushed(lowering.job, lowering.host) and not lowering.host.names_images:
        return pushed_name(lowering.job.stage, lowering)
    return local_tag(lowering.job, lowering.host)


def pushed_name(stage: str, lowering: Lowering) -> Word:
    """Return the registry name of the image that *stage* shares, which contains its ID."""
    variable = VariableExpansion(lowering.variables.outputs[Output(stage, "imageID")])
    return (*shell_text(lowering.host.image_repository), Literal(":"), variable)


def _named_image(job: Job, host: ShellEnvironment) -> Word:
    """Return the registry name of the image that *job* shares, which is fixed before the build."""
    return (
        *shell_text(host.image_repository),
        Literal(":"),
        *shell_text(host.run_id),
        Literal(f"-{short_slug(job)}"),
    )


def is_pulled(image: Image, job: Job, host: ShellEnvironment) -> bool:
    """Return whether *image* comes from the registry."""
    return image.producer not in (None, job.stage) and host.images is Images.REGISTRY


def with_named_images(plan: Plan, *, are_in_variables: bool = False) -> Plan:
    """Return *plan* without the IDs of images that jobs only use as images: their names are known before.

    For environments with `names_images`. With *are_in_variables*, the engine gets the images of machines from
    variables, so that their outputs are not those of the script either.
    """
    if not any(job.shared.image for job in plan.jobs):
        return plan
    jobs = [_without_image_ids(job) for job in plan.jobs]
    read = {output for job in jobs for output in (_read_by_script(job) if are_in_variables else job.inputs)}
    unneeded = IMAGE_OUTPUTS if are_in_variables else {_ID}
    return replace(
        plan,
        jobs=tuple(
            replace(
                job,
                outputs=tuple(name for name in job.outputs if name not in unneeded or Output(job.stage, name) in read),
            )
            if job.shared.image
            else job
            for job in jobs
        ),
    )


def _read_by_script(job: Job) -> Iterator[Output]:
    """Yield the outputs that *job* reads, without those that are only in the names of the images of its machine."""
    in_names = set(outputs_in(job.machine.image_names))
    if in_names:
        in_names -= set(outputs_in(job_texts(replace(job, machine=_without_images(job.machine)))))
    yield from (output for output in job.inputs if output not in in_names)


def _without_images(machine: Machine) -> Machine:
    """Return *machine* without the names of images; the script reads the commands of its services."""
    services = tuple(replace(service, image=Text((), service.image.span)) for service in machine.services)
    return replace(machine, image=None, services=services)


def _without_image_ids(job: Job) -> Job:
    steps = tuple(_without_image_id(step, job.stage) for step in job.steps)
    if steps == job.steps:
        return job
    job = replace(job, steps=steps)
    read = set(outputs_in(job_texts(job)))
    inputs = tuple(output for output in job.inputs if output.name != _ID or output in read)
    return replace(job, inputs=inputs)


def _without_image_id(step: Step, stage: str) -> Step:
    """Return *step* without the ID of the image of another stage; the stage names it."""
    if not isinstance(step, RunContainer | PublishImage) or step.image.producer in (None, stage):
        return step
    return replace(step, image=Image(Text((), step.image.id.span), step.image.producer))
