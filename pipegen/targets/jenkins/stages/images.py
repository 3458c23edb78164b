"""The container that a stage's script runs in, and those beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipegen.plan.model import JobImage, Machine, Pull, Resources, Service
from pipegen.shell.quote import quote
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.stages.values import GroovyTexts

# What the plugin, which splits arguments by rules of its own, takes as one.
NOTHING = "''"
_PLAIN = r"[A-Za-z0-9_./-]*"


def in_image(where: Machine, values: GroovyTexts, step: model.Step) -> model.Step:
    """Return *step* in the image of *where*, as it stands where there is none."""
    if where.image is None:
        return step
    return model.InImage(
        image=values.name(where.image.name),
        args=" ".join(_arguments(where.image, where.resources)),
        is_pulled=where.image.pull is Pull.ALWAYS,
        services=tuple(_service(service, values) for service in where.services),
        steps=(step,),
    )


def is_plain(word: str) -> bool:
    """Return whether *word* reaches the container engine as it is."""
    return re.fullmatch(_PLAIN, word) is not None


def _arguments(image: JobImage, resources: Resources | None) -> Iterator[str]:
    """Yield what the container engine is told beside the plugin's own arguments."""
    if image.entrypoint is not None:
        yield f"--entrypoint={image.entrypoint[0] if image.entrypoint else NOTHING}"
    if image.pull is Pull.NEVER:
        yield "--pull=never"
    if resources is not None and resources.cpu is not None:
        # What Kubernetes makes of a request: a share, not a limit.
        yield f"--cpu-shares={max(2, resources.cpu * 1024 // 1000)}"
    if resources is not None and resources.memory is not None:
        yield f"--memory-reservation={resources.memory}"


def _service(service: Service, values: GroovyTexts) -> model.ServiceContainer:
    """Return *service*; a shell of the agent reads its arguments and its command."""
    variables = (f"--env={quote(f'{name}={value}')}" for name, value in service.env)
    return model.ServiceContainer(
        image=values.name(service.image),
        args=" ".join((f"--network-alias={service.alias}", *variables)),
        command=" ".join(map(quote, service.command)),
    )
