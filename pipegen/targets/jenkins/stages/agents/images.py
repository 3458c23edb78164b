"""The container of a stage's script, and its service containers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipegen.bindings.expression import Text
from pipegen.plan.model import ImageFile, Job, JobImage, Machine, Pull, Resources, Service
from pipegen.shell.quote import quote
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.stages.scripts.values import GroovyTexts

# An empty argument for the plugin, which has its own rules for splitting arguments.
NOTHING = "''"
_DOCKER_HUB = "https://index.docker.io/v1/"
_PLAIN = r"[A-Za-z0-9_./-]*"


def in_image(machine: Machine, values: GroovyTexts, step: model.Step) -> model.Step:
    """Return *step* in the image of *machine*, unchanged if it has none."""
    if machine.image is None:
        return step
    registry, name = _registry(machine.image)
    file = machine.image.file
    return model.InImage(
        image=values.name(name) if file is None else _built(file, machine.image.pull, values.job),
        registry=registry,
        args=" ".join(_arguments(machine.image, machine.resources)),
        is_pulled=machine.image.pull is Pull.ALWAYS and file is None,
        services=tuple(_service(service, values) for service in machine.services),
        steps=(step,),
    )


def _built(file: ImageFile, pull: Pull | None, job: Job) -> model.FunctionCall:
    """Return the call that builds the image of *job* from *file*."""
    words = (
        f"--file={file.path}",
        *(f"--build-arg={name}={value}" for name, value in file.arguments),
        *(("--pull",) if pull is Pull.ALWAYS else ()),
        file.context,
    )
    return model.FunctionCall("builtImage", (job.slug, " ".join(map(quote, words))))


def is_plain(word: str) -> bool:
    """Return whether *word* reaches the container engine unchanged."""
    return re.fullmatch(_PLAIN, word) is not None


def _arguments(image: JobImage, resources: Resources | None) -> Iterator[str]:
    """Yield the arguments of the container engine in addition to those of the plugin."""
    if image.entrypoint is not None:
        yield f"--entrypoint={image.entrypoint[0] if image.entrypoint else NOTHING}"
    if image.pull is Pull.NEVER:
        yield "--pull=never"
    if image.user is not None:
        yield f"--user={image.user}"
    yield from map(_word, image.args)
    if resources is not None:
        yield from resources.container_options


def _word(word: str) -> str:
    """Return *word* for the plugin, which splits arguments at blanks outside quotes."""
    return word if re.fullmatch(r"[^\s'\"\\$`]+", word) else quote(word)


def _registry(image: JobImage) -> tuple[model.Registry | None, Text]:
    """Return the registry of *image* with the login there, None without credentials, and the name of the image.

    Within a registry, the plugin docker-workflow puts its host before names (`DockerRegistryEndpoint.imageName`).
    """
    first = image.name.parts[0] if image.name.parts else ""
    if image.credentials is None or not isinstance(first, str):
        return None, image.name
    host, slash, rest = first.partition("/")
    if not slash or not (set(host) & {".", ":"} or host == "localhost"):
        return model.Registry(_DOCKER_HUB, image.credentials), image.name
    return model.Registry(f"https://{host}", image.credentials), Text((rest, *image.name.parts[1:]), image.name.span)


def _service(service: Service, values: GroovyTexts) -> model.ServiceContainer:
    """Return *service*; the agent's shell parses its arguments and its command."""
    variables = (f"--env={quote(f'{name}={value}')}" for name, value in service.env)
    return model.ServiceContainer(
        image=values.name(service.image),
        args=" ".join((f"--network-alias={service.alias}", *variables)),
        command=" ".join(map(quote, service.command)),
    )
