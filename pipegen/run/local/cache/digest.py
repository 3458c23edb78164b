"""Digests of stages: stages with equal digests and equal inputs have equal results.

Digests contain no names of stages or pipelines: the script is that of the canonical form.
"""

from __future__ import annotations

import hashlib
import json
import platform
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeAlias

from pipegen.bindings.expression import Bare, Defaulted, Part, Reference, Scope, Text
from pipegen.plan.model import Job, Output, Plan
from pipegen.run.files import artifacts
from pipegen.run.files.kept_file import describe
from pipegen.run.local.cache.canonical import canonical
from pipegen.run.local.effects import effects
from pipegen.run.local.scripts import StageScript
from pipegen.run.local.selection import SelectedPipeline
from pipegen.run.local.shell_variables import input_variable
from pipegen.run.model import Task, TaskId
from pipegen.shell.host import ShellEnvironment
from pipegen.structs import Struct, replace

# Incremented when equal scripts change their behaviour, or when results are stored differently.
FORMAT = 2

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class JobEnvironmentState(Struct, kw_only=True):
    """The environment of stages.

    *environment* holds the user's variables, *variables* those of scripts; *tree* is the folder of files that results
    depend on; *mode* is the kind of run, because isolated stages leave other files.
    """

    environment: Mapping[str, str]
    variables: Mapping[str, str]
    tree: Path
    mode: str


# A file that a result depends on: its path, mode, digest, and the target of a link.
FileState: TypeAlias = tuple[str, int, str, str | None]


class Definition(Struct):
    """The *digest* of a stage, its *inputs*, and the *files* that its result depends on."""

    digest: str
    inputs: tuple[Output, ...]
    files: tuple[FileState, ...] = ()


class Definitions:
    """The definitions of the stages of *selected* in the environment *state*, with *hosts* by pipeline.

    *scripts* returns the scripts of a stage. Other stages, and those that must always run, have no definition. All are
    computed at once, which takes half of the time that it takes between the other work of a run.
    """

    def __init__(
        self,
        selected: Iterable[SelectedPipeline],
        scripts: Callable[[TaskId], StageScript],
        hosts: Mapping[str, ShellEnvironment],
        state: JobEnvironmentState,
    ) -> None:
        self._state = state
        # Without files, which may change during a run.
        self._without_files: dict[TaskId, Definition | None] = {}
        for plan, jobs in ((selection.plan, selection.jobs) for selection in selected):
            host = replace(hosts[plan.name], marks_commands=False)
            for job in jobs:
                task = TaskId(plan.name, job.stage)
                is_reusable = _is_reusable(job, scripts(task))
                self._without_files[task] = _definition(job, plan, host, state) if is_reusable else None

    def __call__(self, task: Task) -> Definition | None:
        """Return the definition of *task* with the current files; None if it must run."""
        definition = self._without_files.get(task.id)
        if definition is None or task.job.reuse is None:
            return None
        files = tuple(_files(self._state.tree, task.job.reuse.files))
        return Definition(_digest([definition.digest, files]), definition.inputs, files)


def _definition(job: Job, plan: Plan, host: ShellEnvironment, state: JobEnvironmentState) -> Definition:
    """Return the definition of *job* of *plan* without its files."""
    form = canonical(job)
    return Definition(_digest(_parts(form.job, form.script(plan, host), host, state)), form.inputs)


def _is_reusable(job: Job, script: StageScript) -> bool:
    """Return whether results of *job* can be reused: it declares its dependencies, and leaves only values and files."""
    image = job.machine.image
    if image is not None and image.file is not None:
        return False
    if job.reuse is None or job.is_final or script.uses_containers or script.credentials or job.id_tokens:
        return False
    return not any(effects((job,)))


def _parts(job: Job, script: StageScript, host: ShellEnvironment, state: JobEnvironmentState) -> dict[str, object]:
    image = job.machine.image
    images = [_image(text, host) for text in job.machine.image_names]
    return {
        "format": FORMAT,
        "mode": state.mode,
        "machine": [platform.system(), platform.machine()],
        "images": images,
        "services": [[service.alias, service.env, service.command] for service in job.machine.services],
        "image": [image.entrypoint, image.user, image.args] if image is not None else None,
        "directory": job.directory,
        "scripts": [script.main, script.after, script.is_bash],
        "variables": _read([script.main, script.after, *images], state.variables),
        "env": [[name, state.environment.get(name)] for name in sorted(job.reuse.env if job.reuse is not None else ())],
        "artifacts": [[artifact.path, artifact.travels] for artifact in job.artifacts],
        "exclude": list(job.retention.exclude),
        "outputs": list(job.outputs),
    }


def _digest(parts: object) -> str:
    return hashlib.sha256(json.dumps(parts).encode(errors="surrogateescape")).hexdigest()


def _image(text: Text, host: ShellEnvironment) -> str:
    """Return the name of an image, with variables in place of references."""
    return "".join(map(partial(_part, host=host), text.parts))


def _part(part: Part, *, host: ShellEnvironment) -> str:
    match part:
        case Reference(scope=Scope.INPUT):
            value = f"${input_variable(part.name)}"
        case Reference(scope=Scope.SETUP):
            value = host.setup(part.name) or ""
        case Defaulted():
            value = _image(part.text, host)
        case Bare():
            return part.source
        case _:
            return str(part)
    return f"{{{value}|{part.default}}}"


def _read(texts: Sequence[str], variables: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return those of *variables* that *texts* may read, with their values."""
    words = set(_NAME.findall("\n".join(texts)))
    return sorted((name, value) for name, value in variables.items() if name in words)


def _files(tree: Path, paths: tuple[str, ...]) -> Iterator[FileState]:
    for name in artifacts.matching(str(tree), paths):
        # Only links to folders that the user wrote are followed.
        path = tree / name
        file = describe(path.parent, path.name)
        yield (name, file.mode, file.digest, file.link)
