"""Where a job runs that says so itself: its image and services, and how much of a machine it asks for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from pipegen.bindings.expression import Scope, Text
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Job, Machine, Plan, Pull
from pipegen.shell.host import Images
from pipegen.shell.prelude import runs_in_bash
from pipegen.structs import Struct
from pipegen.targets.gitlab.jobs.expanded_texts import escaped, expanded
from pipegen.targets.gitlab.jobs.shell_variables import expanded_variable
from pipegen.targets.gitlab.model import ImageKeys, ServiceKeys, VariableEntry
from pipegen.targets.gitlab.pairs import BASH_WITH_TOOLS, IMAGE_ON_MACHINE
from pipegen.targets.gitlab.settings import GitLabSettings


class JobMachine(Struct, kw_only=True):
    """What a job says of its machine; *variables* ask for resources, and stand in for values that may be absent."""

    image: ImageKeys | None
    services: tuple[ServiceKeys, ...]
    variables: tuple[VariableEntry, ...]


_NOTHING = JobMachine(image=None, services=(), variables=())


def lower_machine(job: Job, plan: Plan, producers: Mapping[str, Job], report: Report) -> JobMachine:
    """Return what *job* says of its machine; what GitLab cannot expand is reported."""
    where = job.machine
    if not where.services and where.resources is None:
        if where.image is None:
            return _NOTHING
        known = where.image.name.constant
        if known is not None:
            return _in_image(escaped(known), where.image.entrypoint, where.image.pull)

    def name(text: Text) -> str:
        return expanded(text, "the name of an image", plan, report, producers=producers)

    texts = [*([where.image.name] if where.image is not None else []), *(service.image for service in where.services)]
    return JobMachine(
        image=_image(name(where.image.name), where.image.entrypoint, where.image.pull)
        if where.image is not None
        else None,
        services=tuple(
            ServiceKeys(
                name=name(service.image),
                alias=service.alias,
                command=service.command,
                variables=tuple((variable, escaped(value)) for variable, value in service.env),
            )
            for service in where.services
        ),
        variables=(*requests(where), *_defaults(texts, producers)),
    )


@lru_cache
def _in_image(name: str, entrypoint: tuple[str, ...] | None, pull: Pull | None) -> JobMachine:
    """Return what most jobs say, and many alike."""
    return JobMachine(image=_image(name, entrypoint, pull), services=(), variables=())


def _image(name: str, entrypoint: tuple[str, ...] | None, pull: Pull | None) -> ImageKeys:
    return ImageKeys(
        name,
        has_entrypoint=entrypoint is not None,
        entrypoint=entrypoint or ("",),
        # The runner pulls as it is set up to; it need not allow a job to ask for another way.
        pull=pull.value if pull is Pull.ALWAYS or pull is Pull.NEVER else "",
    )


def _defaults(texts: list[Text], producers: Mapping[str, Job]) -> Iterator[VariableEntry]:
    """Yield the variables that hold defaults: what a report sets goes before them."""
    found: dict[str, VariableEntry] = {}
    for text in texts:
        for reference in text.references():
            if reference.scope is Scope.STAGE and reference.default is not None:
                variable = expanded_variable(producers[reference.namespace or ""], reference.name)
                found.setdefault(variable, VariableEntry(variable, reference.default, is_raw="$" in reference.default))
    yield from found.values()


def check_machine(job: Job, kind: str, settings: GitLabSettings, report: Report) -> None:
    """Report what *job*, whose script needs tools of the *kind*, asks for and GitLab does not give it."""
    where = job.machine
    if runs_in_bash(job) and kind != "shell" and settings.images is Images.REGISTRY:
        report.add(
            BASH_WITH_TOOLS.code,
            f'stage "{job.title}" asks for bash, and the image with the tools of its other steps has none',
            at=where.shell_span or job.span,
            hint="do one of the two in a stage of its own, or write what sh can read",
        )
    if where.image is not None and settings.images is Images.LOCAL and not where.labels:
        report.add(
            IMAGE_ON_MACHINE.code,
            f'stage "{job.title}" names an image, and the one shell runner of "images: local" takes none',
            at=where.image.span,
            hint='name the tag of a runner with containers: "agent: docker"; or set "images: registry"',
        )


_UNITS = (("Gi", 2**30), ("Mi", 2**20), ("Ki", 2**10))


def requests(machine: Machine) -> Iterator[VariableEntry]:
    """Yield the variables by which a job asks Kubernetes' executor, the only one that hands out machines."""
    # https://docs.gitlab.com/runner/executors/kubernetes/#overwrite-container-resources
    asked = machine.resources
    if asked is not None and asked.cpu is not None:
        yield VariableEntry(
            "KUBERNETES_CPU_REQUEST", f"{asked.cpu // 1000}" if asked.cpu % 1000 == 0 else f"{asked.cpu}m"
        )
    if asked is not None and asked.memory is not None:
        yield VariableEntry("KUBERNETES_MEMORY_REQUEST", _written(asked.memory))


def _written(memory: int) -> str:
    """Return *memory* in the largest unit that says it exactly."""
    return next((f"{memory // size}{unit}" for unit, size in _UNITS if memory % size == 0), str(memory))
