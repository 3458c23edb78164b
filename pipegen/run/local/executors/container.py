"""Stages in their image: the calls of docker or podman around a script."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from pipegen.bindings.expression import Text
from pipegen.plan.model import Job, Pull, Resources, Service
from pipegen.run.local.texts import Texts
from pipegen.shell.quote import quote
from pipegen.source.git import ask
from pipegen.structs import Struct
from pipegen.visible import visible

# The machine's own network in place of one for each stage, where the program can make none: PIPEGEN_NETWORK=host.
NETWORK = "PIPEGEN_NETWORK"
# The first process of a container hears no signal that it does not ask for, and shells ask for none.
_FIRST = (
    'trap "kill -TERM \\$! 2>/dev/null" HUP INT TERM; "$@" & wait "$!"; pipegen_status=$?; '
    'while kill -0 "$!" 2>/dev/null; do wait "$!"; pipegen_status=$?; done; exit "$pipegen_status"'
)
# What `run` of both programs ends with where the container did not start.
NOT_STARTED = 125
# How long the engine may take to tell its version, in seconds.
_PATIENCE = 20


# Names begin with a host or a part of a path: https://pkg.go.dev/github.com/distribution/reference
_IMAGE = re.compile(r"[A-Za-z0-9\[][A-Za-z0-9._:/@\[\]-]*")


class ImageNameError(ValueError):
    """A value in the place of an image's name that is none."""


class Around(Struct, kw_only=True):
    """What happens around a script that runs in a container.

    *before* and *after* are commands, the latter run whatever happened; *removal* is run where the try was stopped.
    *is_container* says that the script runs in a container.
    """

    arguments: tuple[str, ...]
    is_container: bool = False
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    removal: tuple[str, ...] = ()


class Containers(Struct, dict=True, gc=True):
    """The program for containers, and what every container of the run is given.

    *mounts* are folders that stand in it as they do here, *reads* such that it only reads, *values* is where stages in
    one tree leave values, each in folders of its own, and *kept* is where scripts leave values for what comes after
    them; with *has_host_network* it has this machine's network.
    """

    program: str
    values: str
    kept: str
    mounts: tuple[str, ...]
    reads: tuple[str, ...]
    has_host_network: bool = False

    def around(
        self, job: Job, name: str, folder: str, call: Sequence[str], texts: Texts, files: Sequence[str]
    ) -> Around:
        """Return how *call* runs in the image of *job*, in a container called *name*, with *folder* and *files*."""
        image = job.machine.image
        if image is None:
            return Around(arguments=tuple(call))
        services = tuple(self._services(job.machine.services, name, texts))
        entrypoint = image.entrypoint
        arguments = (
            *(self.program, "run", "--rm", "--name", name, "--workdir", folder, "--security-opt", "label=disable"),
            *self._user,
            *_pull(image.pull),
            *_resources(job.machine.resources),
            *self._network(job.machine.services, name),
            *_mount(self.values, ",readonly"),
            *(word for place in dict.fromkeys((*self._written(job), *self.mounts, folder)) for word in _mount(place)),
            *(word for place in dict.fromkeys((*self.reads, *files)) for word in _mount(place, ",readonly")),
            *(word for variable in texts.variables for word in ("--env", variable)),
            *(() if entrypoint is None else (f"--entrypoint={entrypoint[0] if entrypoint else ''}",)),
            _name(image.name, texts),
            *(entrypoint or ())[1:],
            *("sh", "-c", _FIRST, "sh"),
            *call,
        )
        removed = self._removed(name)
        if not services:
            return Around(arguments=arguments, is_container=True, removal=(removed,))
        return Around(
            arguments=arguments,
            is_container=True,
            before=(*self._network_made(name), *services),
            after=(removed, *self._services_removed(job.machine.services, name)),
        )

    @cached_property
    def is_podman(self) -> bool:
        """Whether the program is podman, by whatever name."""
        return "podman" in self._said("--version").lower()

    @cached_property
    def _user(self) -> tuple[str, ...]:
        """The option by which what containers write belongs to the user; not where their root is nobody else."""
        if os.getuid() == 0 or self.is_podman or "rootless" in self._said("info", "--format", "{{.SecurityOptions}}"):
            return ()
        return ("--user", f"{os.getuid()}:{os.getgid()}")

    def _written(self, job: Job) -> Iterator[str]:
        """Yield the folders for the values of *job*, which no other container writes to."""
        for kind in ("outputs", "trigger"):
            folder = Path(self.values, kind, job.slug)
            folder.mkdir(parents=True, exist_ok=True)
            yield str(folder)
        if job.after:
            yield self.kept

    def _network(self, services: Sequence[Service], name: str) -> tuple[str, ...]:
        if not services:
            return ()
        if not self.has_host_network:
            return ("--network", name)
        return ("--network", "host", *(f"--add-host={service.alias}:127.0.0.1" for service in services))

    def _network_made(self, name: str) -> tuple[str, ...]:
        return () if self.has_host_network else (f"{quote(self.program)} network create {quote(name)} >/dev/null",)

    def _services(self, services: Sequence[Service], name: str, texts: Texts) -> Iterator[str]:
        """Yield the commands that start *services*."""
        for number, service in enumerate(services, start=1):
            words = (
                *(self.program, "run", "--detach", "--name", f"{name}-{number}"),
                *self._network(services, name),
                *(() if self.has_host_network else (f"--network-alias={service.alias}",)),
                *(word for key, value in service.env for word in ("--env", f"{key}={value}")),
                _name(service.image, texts),
                *service.command,
            )
            yield f"{' '.join(map(quote, words))} >/dev/null"

    def _services_removed(self, services: Sequence[Service], name: str) -> Iterator[str]:
        yield self._removed(*(f"{name}-{number}" for number in range(1, len(services) + 1)))
        if not self.has_host_network:
            yield f"{quote(self.program)} network rm {quote(name)} >/dev/null 2>&1 || :"

    def _removed(self, *names: str) -> str:
        """Return the command that removes containers; podman, unlike docker, first waits for what is not killed."""
        program, words = quote(self.program), " ".join(map(quote, names))
        return f"{{ {program} kill {words}; {program} rm --force --volumes {words}; }} >/dev/null 2>&1 || :"

    def _said(self, *arguments: str) -> str:
        return subprocess.run((self.program, *arguments), capture_output=True, text=True, check=False).stdout


def _name(image: Text, texts: Texts) -> str:
    """Return the name of an image; raise `ImageNameError` for what the program would take for an option, or nothing."""
    name = texts.evaluated(image)
    if not _IMAGE.fullmatch(name):
        raise ImageNameError(f'"{visible(name)}" is no name of an image')
    return name


def program(environment: Mapping[str, str]) -> str | None:
    """Return the program for containers: the one that DOCKER names, else docker or podman; None where there is none."""
    path = environment.get("PATH")
    names = (environment["DOCKER"],) if environment.get("DOCKER") else ("docker", "podman")
    return next((found for name in names if (found := shutil.which(name, path=path))), None)


def engine_error(program: str, environment: Mapping[str, str]) -> str | None:
    """Return why *program* reaches no container engine, None where it does: `version` asks for the engine's, too."""
    try:
        done = subprocess.run(
            (program, "version"),
            env=dict(environment),
            capture_output=True,
            stdin=subprocess.DEVNULL,
            text=True,
            errors="replace",
            check=False,
            timeout=_PATIENCE,
        )
    except subprocess.TimeoutExpired:
        return f"no answer in {_PATIENCE} s"
    except OSError as error:
        return error.strerror or str(error)
    last = done.stderr.strip().rpartition("\n")[2]
    return (last or f"exit status {done.returncode}") if done.returncode else None


def _mount(place: str, option: str = "") -> tuple[str, str]:
    """Return the option that shows *place* at the same place; its value is read as a line of comma-separated values."""
    source, target = (f"{key}={place}" for key in ("source", "target"))
    fields = (
        field if not set(field) & set(',"') else '"' + field.replace('"', '""') + '"' for field in (source, target)
    )
    return "--mount", f"type=bind,{','.join(fields)}{option}"


def _pull(pull: Pull | None) -> tuple[str, ...]:
    match pull:
        case Pull.ALWAYS | Pull.NEVER:
            return (f"--pull={pull.value}",)
        case _:
            # What both programs do by themselves.
            return ()


def _resources(resources: Resources | None) -> Iterator[str]:
    """Yield what is asked for as a share, not a limit, as Kubernetes and Jenkins do it."""
    if resources is not None and resources.cpu is not None:
        yield f"--cpu-shares={max(2, resources.cpu * 1024 // 1000)}"
    if resources is not None and resources.memory is not None:
        yield f"--memory-reservation={resources.memory}"


def common_folder(root: Path) -> str | None:
    """Return the folder of git's that a work tree at *root* needs beside itself, None where it has all."""
    if not (root / ".git").is_file():
        return None
    answer = ask(root, "rev-parse", "--path-format=absolute", "--git-common-dir").stdout
    return os.fsdecode(answer).strip() or None
