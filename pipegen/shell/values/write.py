"""Values and files for other jobs, which a script writes last."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import dirname

from pipegen.plan.model import EngineText, Job, TriggerJob
from pipegen.shell.command import Command
from pipegen.shell.host import ShellEnvironment
from pipegen.shell.lowering import Lowering
from pipegen.shell.names import container_name
from pipegen.shell.quote import Literal, ShellFragment, quote
from pipegen.shell.values.image_values import check_image_outputs
from pipegen.shell.values.transfers import (
    packs_container_paths,
    packs_files,
    path_to_write,
)
from pipegen.shell.words.container_path import container_path
from pipegen.shell.words.text import argument, own_argument

# Steps that the engine executes, with values from the script.
_ENGINE_STEPS = frozenset((TriggerJob, EngineText))


def output_commands(lowering: Lowering) -> list[Command]:
    """Return the commands that write values and packed files for other jobs and for triggered jobs."""
    job, host = lowering.job, lowering.host
    commands = _write_outputs(lowering) if job.outputs else []
    if job.expanded:
        commands += check_image_outputs(lowering)
    if not _ENGINE_STEPS.isdisjoint(map(type, job.steps)):
        commands += _write_parameters(lowering)
        commands += _engine_text_commands(lowering)
    if job.shared.container_paths and packs_container_paths(job, host):
        commands += _pack_containers(lowering)
    if job.artifacts and packs_files(job, host):
        commands += _stage_overwriting_files(lowering)
        path, folder = path_to_write(f"files/{job.slug}.tar", host), path_to_write("files", host)
        commands.append(Command((f"mkdir -p {folder}", f'tar -cf {path} -C "$pipegen/files" .')))
    return commands


def _stage_overwriting_files(lowering: Lowering) -> Iterator[Command]:
    """Yield the commands that copy files that overwrite an ancestor's, where no copy step has done so."""
    artifacts = lowering.job.artifacts
    paths = [
        artifact.path
        for artifact in artifacts
        if artifact.path is not None and artifact.is_declared and artifact.overwrites
    ]
    if paths:
        yield Command(('mkdir -p "$pipegen/files"',), "what takes the place of other stages' files")
    for path in paths:
        parent = dirname(path)
        folder = quote((ShellFragment("$pipegen/files"), Literal(f"/{parent}" if parent else "")))
        source = quote(f"./{path}" if path.startswith("-") else path)
        yield Command(
            (
                f"if [ -e {source} ]; then",
                *((f"  mkdir -p {folder}",) if parent else ()),
                f"  cp -RPp {source} {folder}",
                "fi",
            )
        )


def _write_outputs(lowering: Lowering) -> list[Command]:
    folder = f"outputs/{lowering.job.slug}"
    commands = [Command((f"mkdir -p {path_to_write(folder, lowering.host)}",))]
    for name in lowering.job.outputs:
        path = path_to_write(f"{folder}/{name}", lowering.host)
        commands.append(Command((f"printf %s {own_argument(name, lowering)} >{path}",)))
    return commands


def _write_parameters(lowering: Lowering) -> Iterator[Command]:
    """Yield the commands that write a triggered job's parameters that are known only at run time."""
    folder = f"trigger/{lowering.job.slug}"
    for step in lowering.job.steps:
        if not isinstance(step, TriggerJob) or all(text.constant is not None for _, text in step.parameters):
            continue
        yield Command((f"mkdir -p {path_to_write(folder, lowering.host)}",))
        for number, (_, text) in enumerate(step.parameters):
            if text.constant is None:
                path = path_to_write(f"{folder}/{number}", lowering.host)
                yield Command((f"printf %s {argument(text, lowering)} >{path}",))


def _engine_text_commands(lowering: Lowering) -> Iterator[Command]:
    for step in lowering.job.steps:
        if isinstance(step, EngineText):
            folder = dirname(step.file)
            yield Command((f"mkdir -p {quote((Literal(folder),))}",))
            yield Command((f"printf %s {argument(step.value, lowering)} >{quote((Literal(step.file),))}",))


def _pack_containers(lowering: Lowering) -> Iterator[Command]:
    job = lowering.job
    folder = f"containers/{job.slug}"
    name = container_name(job, lowering.host)
    yield Command((f"mkdir -p {path_to_write(folder, lowering.host)}",), "what other jobs copy from the container")
    for number, path in enumerate(job.shared.container_paths):
        if path.constant is None:
            continue
        lines, source = container_path(path, lowering)
        target = path_to_write(f"{folder}/{number}.tar", lowering.host)
        yield Command((*lines, f"$DOCKER cp {quote((*name, Literal(':'), *source))} - >{target}"))


def mark_success(job: Job, host: ShellEnvironment) -> Command:
    """Return the command that writes the status file of *job*, which succeeded."""
    folder, path = path_to_write("status", host), path_to_write(f"status/{job.slug}", host)
    return Command((f"mkdir -p {folder} && echo success >{path}",))
