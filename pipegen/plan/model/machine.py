"""The machine that a job runs on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from typing import ClassVar

from pipegen.bindings.expression import Text
from pipegen.plan.model.steps import ImageFile, Line
from pipegen.source.text import Span
from pipegen.structs import SpannedStruct, Struct


class Pull(Enum):
    """When an image is pulled."""

    ALWAYS = "always"
    IF_NOT_PRESENT = "if-not-present"
    NEVER = "never"


class ShellProgram(Enum):
    """The shell that runs a script; BASH sets pipefail."""

    SH = "sh"
    BASH = "bash"


# Parts of the names of images with the shell of BusyBox and without bash: those of Alpine, and those made from them.
_WITH_BUSYBOX = (
    r"alpine|\bapk|busybox|curlimages|\bdind\b|distroless|(?:^|/)docker(?::|$)|gitleaks|go-containerregistry|kaniko"
    r"|release-cli|trivy"
)


# Images of PostgreSQL, and images made from them, by the last part of their names.
POSTGRES_IMAGES = ("postgres", "postgis", "pgvector", "timescaledb")
# The variable of the Docker daemon for its certificates, and the value that its image has itself:
# https://hub.docker.com/_/docker. With an empty value, the daemon has no TLS.
DOCKER_CERTIFICATES = ("DOCKER_TLS_CERTDIR", "/certs")


def last_part(image: str) -> str:
    """Return the last part of the name *image*, without tag and digest."""
    return re.split("[:@]", image.rpartition("/")[2])[0]


def has_busybox(image: str) -> bool:
    """Return whether the name *image* is that of an image with BusyBox as its shell, which knows pipefail."""
    return re.search(_WITH_BUSYBOX, image) is not None


class JobImage(SpannedStruct, kw_only=True):
    """The image a job runs in; *entrypoint* None keeps the image's own, *pull* None is the engine's default.

    *user* None is that of the engine, *args* are for the container engine, *credentials* is the ID of the login at the
    registry. An image that is built from *file* has its path as the name.
    """

    name: Text
    entrypoint: tuple[str, ...] | None = None
    pull: Pull | None = None
    user: str | None = None
    args: tuple[str, ...] = ()
    credentials: str | None = None
    file: ImageFile | None = None
    span: Span


class Service(SpannedStruct, kw_only=True):
    """A container next to the job with host name *alias*; *ready* runs in the job's shell until it succeeds."""

    image: Text
    alias: str
    env: tuple[tuple[str, str], ...]
    command: tuple[str, ...]
    ready: Line | None
    span: Span


# The units of Kubernetes, and their sizes in bytes.
_UNITS = (("Gi", 2**30), ("Mi", 2**20), ("Ki", 2**10))


class Resources(SpannedStruct, kw_only=True):
    """The resources that a job needs: *cpu* in thousandths of a processor, *memory* in bytes; None for any amount.

    It may use no more than *cpu_limit* and *memory_limit*; None for the limit of the engine.
    """

    cpu: int | None
    memory: int | None
    cpu_limit: int | None
    memory_limit: int | None
    span: Span

    @property
    def quantities(self) -> Mapping[str, str]:
        """The amounts as Kubernetes writes them."""
        return _quantities(self.cpu, self.memory)

    @property
    def limits(self) -> Mapping[str, str]:
        """The limits as Kubernetes writes them."""
        return _quantities(self.cpu_limit, self.memory_limit)

    @property
    def container_options(self) -> tuple[str, ...]:
        """The amounts and limits as options of docker and podman; an amount is a share, as a request in Kubernetes."""
        options = {
            "cpu-shares": max(2, self.cpu * 1024 // 1000) if self.cpu is not None else None,
            "memory-reservation": self.memory,
            # A quota of 100 ms, the default period: docker refuses `--cpus` beyond the processors of the machine.
            "cpu-quota": max(1000, self.cpu_limit * 100) if self.cpu_limit is not None else None,
            "memory": self.memory_limit,
        }
        return tuple(f"--{name}={amount}" for name, amount in options.items() if amount is not None)


def _quantities(cpu: int | None, memory: int | None) -> Mapping[str, str]:
    """Return the amounts that are not None as Kubernetes writes them, the memory in the largest unit that is exact."""
    amounts = {}
    if cpu is not None:
        amounts["cpu"] = f"{cpu // 1000}" if cpu % 1000 == 0 else f"{cpu}m"
    if memory is not None:
        exact = (f"{memory // size}{unit}" for unit, size in _UNITS if memory % size == 0)
        amounts["memory"] = next(exact, str(memory))
    return amounts


class PodContainer(Struct, kw_only=True):
    """A container of a pod; without a *command*, it runs that of its image."""

    name: str
    image: str
    command: tuple[str, ...]
    env: tuple[tuple[str, str], ...]


class Pod(SpannedStruct, kw_only=True):
    """A pod that an engine creates for a job.

    Its script runs in *container*, "" for the container of the job's image. The *manifest* replaces *containers*, "" if
    there is none; *cloud* and *namespace* "" are the engine's defaults.
    """

    containers: tuple[PodContainer, ...]
    manifest: str
    container: str
    cloud: str
    namespace: str
    span: Span


class RunnerVariable(SpannedStruct, kw_only=True):
    """A variable that configures GitLab's runner; other engines do not set it."""

    UNCOMPARED: ClassVar = ("span", "value_span")

    name: str
    value: str
    span: Span
    value_span: Span


class Machine(SpannedStruct, kw_only=True):
    """The machine a job runs on; it must have all *labels*, and match all *label_expressions*.

    *tools* are installed by the engine: the type and the name of each.
    """

    UNCOMPARED: ClassVar = ("labels_span", "shell_span", "tools_span")

    image: JobImage | None = None
    services: tuple[Service, ...] = ()
    labels: tuple[str, ...] = ()
    label_expressions: tuple[str, ...] = ()
    labels_span: Span | None = None
    pod: Pod | None = None
    tools: tuple[tuple[str, str], ...] = ()
    tools_span: Span | None = None
    resources: Resources | None = None
    runner_variables: tuple[RunnerVariable, ...] = ()
    shell: ShellProgram = ShellProgram.SH
    shell_span: Span | None = None

    @property
    def image_names(self) -> list[Text]:
        """The names of the images of the job and of its services."""
        names = [self.image.name] if self.image is not None else []
        return [*names, *(service.image for service in self.services)] if self.services else names
