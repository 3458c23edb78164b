"""The container of a stage's script, and its service containers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipegen.plan.model import JobImage, Machine, Pull, Resources, Service
from pipegen.shell.quote import quote
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.stages.scripts.values import GroovyTexts

# An empty argument for the plugin, which has its own rules for splitting arguments.
NOTHING = "''"
_PLAIN = r"[A-Za-z0-9_./-]*"


def in_image(machine: Machine, values: GroovyTexts, step: model.Step) -> model.Step:
    """Return *step* in the image of *machine*, unchanged if it has none."""
    if machine.image is None:
        return step
    return model.InImage(
        image=values.name(machine.image.name),
        args=" ".join(_arguments(machine.image, machine.resources)),
        is_pulled=machine.image.pull is Pull.ALWAYS,
        services=tuple(_service(service, values) for service in machine.services),
        steps=(step,),
    )


def is_plain(word: str) -> bool:
    """Return whether *word* reaches the container engine unchanged."""
    return re.fullmatch(_PLAIN, word) is not None


def _arguments(image: JobImage, resources: Resources | None) -> Iterator[str]:
    """Yield the arguments of the container engine in addition to those of the plugin."""
    if image.entrypoint is not None:
        yield f"--entrypoint={image.entrypoint[0] if image.entrypoint else NOTHING}"
    if image.pull is Pull.NEVER:
        yield "--pull=never"
    if resources is not None and resources.cpu is not None:
        # As for a request in Kubernetes: a share, not a limit.
        yield f"--cpu-shares={max(2, resources.cpu * 1024 // 1000)}"
    if resources is not None and resources.memory is not None:
        yield f"--memory-reservation={resources.memory}"


def _service(service: Service, values: GroovyTexts) -> model.ServiceContainer:
    """Return *service*; the agent's shell parses its arguments and its command."""
    variables = (f"--env={quote(f'{name}={value}')}" for name, value in service.env)
    return model.ServiceContainer(
        image=values.name(service.image),
        args=" ".join((f"--network-alias={service.alias}", *variables)),
        command=" ".join(map(quote, service.command)),
    )
