"""Stages in containers: commands of docker or podman around a script."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from pipegen.bindings.expression import Text
from pipegen.plan.model import ImageFile, Job, Pull, Service
from pipegen.run.local.executors import marks
from pipegen.run.local.executors.texts import Texts
from pipegen.shell.quote import quote
from pipegen.source.git import ask
from pipegen.structs import Struct
from pipegen.visible import visible

# PIPEGEN_NETWORK=host: containers use the network of the host, if the program cannot create networks.
NETWORK = "PIPEGEN_NETWORK"
# The first process of a container gets only signals that it handles, and shells handle none by default.
_FIRST = (
    'trap "kill -TERM \\$! 2>/dev/null" HUP INT TERM; "$@" & wait "$!"; pipegen_status=$?; '
    'while kill -0 "$!" 2>/dev/null; do wait "$!"; pipegen_status=$?; done; exit "$pipegen_status"'
)
# The exit status of `run` of both programs if the container did not start.
NOT_STARTED = 125
# Seconds to wait for the version of the engine.
_PATIENCE = 20


# Names begin with a host or a part of a path: https://pkg.go.dev/github.com/distribution/reference
_IMAGE = re.compile(r"[A-Za-z0-9\[][A-Za-z0-9._:/@\[\]-]*")


class ImageNameError(ValueError):
    """The name of an image is invalid."""


class WrappedCommand(Struct, kw_only=True):
    """A script with the commands around it.

    The commands *before* run first, those in *after* always run last; *removal* runs if the attempt was stopped.
    *is_container* is whether the script runs in a container.
    """

    arguments: tuple[str, ...]
    is_container: bool = False
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    removal: tuple[str, ...] = ()


class Containers(Struct, dict=True, gc=True):
    """The container program, and the settings of every container of the run.

    *mounts* are writable folders, *reads* are read-only paths, *values* is the folder of values of stages in a shared
    tree, and *after_values* the folder of values for `after` scripts; with *has_host_network*, containers use the
    network of the host.
    """

    program: str
    values: str
    after_values: str
    mounts: tuple[str, ...]
    reads: tuple[str, ...]
    has_host_network: bool

    def wrap(
        self, job: Job, name: str, folder: str, call: Sequence[str], texts: Texts, files: Sequence[str]
    ) -> WrappedCommand:
        """Return *call* wrapped to run in the image of *job*, in the container *name*, with *folder* and *files*."""
        image = job.machine.image
        if image is None:
            return WrappedCommand(arguments=tuple(call))
        services = tuple(self._start_services(job.machine.services, name, texts))
        entrypoint = image.entrypoint
        arguments = (
            *(self.program, "run", "--rm", "--name", name, "--workdir", folder, "--security-opt", "label=disable"),
            *(self._user if image.user is None else ("--user", image.user)),
            *_pull(image.pull),
            *(job.machine.resources.container_options if job.machine.resources is not None else ()),
            *self._network(job.machine.services, name),
            *_mount(self.values, ",readonly"),
            *(
                word
                for path in dict.fromkeys((*self._value_folders(job), *self.mounts, folder))
                for word in _mount(path)
            ),
            *(word for path in dict.fromkeys((*self.reads, *files)) for word in _mount(path, ",readonly")),
            *(word for variable in texts.variables for word in ("--env", variable)),
            *(() if entrypoint is None else (f"--entrypoint={entrypoint[0] if entrypoint else ''}",)),
            *image.args,
            _name(image.name, texts) if image.file is None else _built_name(name),
            *(entrypoint or ())[1:],
            *("sh", "-c", _FIRST, "sh"),
            *call,
        )
        removal = self._remove_containers(name)
        build, image_removal = self._build(image.file, image.pull, name, folder) if image.file is not None else ((), ())
        if not services:
            return WrappedCommand(
                arguments=arguments, is_container=True, before=build, after=image_removal, removal=(removal,)
            )
        return WrappedCommand(
            arguments=arguments,
            is_container=True,
            before=(*build, *self._create_network(name), *services),
            after=(removal, *self._remove_services(job.machine.services, name), *image_removal),
        )

    def _build(
        self, file: ImageFile, pull: Pull | None, name: str, folder: str
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the commands that build the image of the container *name* from *file* in *folder*, and remove it."""
        words = (
            *(self.program, "build", "--tag", _built_name(name), f"--file={Path(folder, file.path)}"),
            *(f"--build-arg={key}={value}" for key, value in file.arguments),
            *(("--pull",) if pull is Pull.ALWAYS else ()),
            str(Path(folder, file.context)),
        )
        removal = f"{quote(self.program)} rmi --no-prune {quote(_built_name(name))} >/dev/null 2>&1 || :"
        return (" ".join(map(quote, words)),), (removal,)

    @cached_property
    def is_podman(self) -> bool:
        """Whether the program is podman, even if its name differs."""
        return "podman" in self._output("--version").lower()

    @cached_property
    def _user(self) -> tuple[str, ...]:
        """The option that makes the user own files from containers; () if root in containers is the user already."""
        if os.getuid() == 0 or self.is_podman or "rootless" in self._output("info", "--format", "{{.SecurityOptions}}"):
            return ()
        return ("--user", f"{os.getuid()}:{os.getgid()}")

    def _value_folders(self, job: Job) -> Iterator[str]:
        """Yield the folders for the values of *job*, to which no other container writes."""
        for kind in ("outputs", "trigger", marks.FOLDER):
            folder = Path(self.values, kind, job.slug)
            folder.mkdir(parents=True, exist_ok=True)
            yield str(folder)
        if job.after:
            yield self.after_values

    def _network(self, services: Sequence[Service], name: str) -> tuple[str, ...]:
        if not services:
            return ()
        if not self.has_host_network:
            return ("--network", name)
        return ("--network", "host", *(f"--add-host={service.alias}:127.0.0.1" for service in services))

    def _create_network(self, name: str) -> tuple[str, ...]:
        return () if self.has_host_network else (f"{quote(self.program)} network create {quote(name)} >/dev/null",)

    def _start_services(self, services: Sequence[Service], name: str, texts: Texts) -> Iterator[str]:
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

    def _remove_services(self, services: Sequence[Service], name: str) -> Iterator[str]:
        yield self._remove_containers(*(f"{name}-{number}" for number in range(1, len(services) + 1)))
        if not self.has_host_network:
            yield f"{quote(self.program)} network rm {quote(name)} >/dev/null 2>&1 || :"

    def _remove_containers(self, *names: str) -> str:
        """Return the command that removes containers; without kill, podman would wait for them."""
        program, words = quote(self.program), " ".join(map(quote, names))
        return f"{{ {program} kill {words}; {program} rm --force --volumes {words}; }} >/dev/null 2>&1 || :"

    def _output(self, *arguments: str) -> str:
        return subprocess.run((self.program, *arguments), capture_output=True, text=True, check=False).stdout


def _built_name(container: str) -> str:
    """Return the name of the image that is built for *container*."""
    return f"localhost/{container.lower()}"


def _name(image: Text, texts: Texts) -> str:
    """Return the name of an image; raise `ImageNameError` if it is empty, an option, or otherwise invalid."""
    name = texts.evaluate(image)
    if not _IMAGE.fullmatch(name):
        raise ImageNameError(f'"{visible(name)}" is not the name of an image')
    return name


def program(environment: Mapping[str, str]) -> str | None:
    """Return the path of the container program: DOCKER, else docker or podman; None if there is none."""
    path = environment.get("PATH")
    names = (environment["DOCKER"],) if environment.get("DOCKER") else ("docker", "podman")
    return next((executable for name in names if (executable := shutil.which(name, path=path))), None)


def engine_error(program: str, environment: Mapping[str, str]) -> str | None:
    """Return why *program* cannot reach a container engine, None if it can: `version` contacts the engine."""
    try:
        process = subprocess.run(
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
    message = process.stderr.strip().rpartition("\n")[2]
    return (message or f"exit status {process.returncode}") if process.returncode else None


def _mount(path: str, option: str = "") -> tuple[str, str]:
    """Return the option that mounts *path* at the same path; its value is parsed as CSV."""
    source, target = (f"{key}={path}" for key in ("source", "target"))
    fields = (
        field if not set(field) & set(',"') else '"' + field.replace('"', '""') + '"' for field in (source, target)
    )
    return "--mount", f"type=bind,{','.join(fields)}{option}"


def _pull(pull: Pull | None) -> tuple[str, ...]:
    match pull:
        case Pull.ALWAYS | Pull.NEVER:
            return (f"--pull={pull.value}",)
        case _:
            # The default of both programs.
            return ()


def common_folder(root: Path) -> str | None:
    """Return the common git folder outside a work tree at *root*, None if there is none."""
    if not (root / ".git").is_file():
        return None
    output = ask(root, "rev-parse", "--path-format=absolute", "--git-common-dir").stdout
    return os.fsdecode(output).strip() or None
