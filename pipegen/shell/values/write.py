"""Values and files for other jobs, which a script writes last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from posixpath import dirname

from pipegen.plan.model import Commands, EngineText, Export, Job, Measure, Measured, Output, TriggerJob
from pipegen.shell.command import Command
from pipegen.shell.host import ShellEnvironment
from pipegen.shell.lowering import Lowering
from pipegen.shell.names import container_name
from pipegen.shell.quote import Literal, ShellFragment, operand, quote
from pipegen.shell.values.image_values import check_image_outputs
from pipegen.shell.values.transfers import (
    is_cleared,
    is_packed,
    names_folder,
    packs_container_paths,
    packs_files,
    paths_in_place,
    transfer_path,
)
from pipegen.shell.words.container_path import container_path
from pipegen.shell.words.text import argument, own_argument

# Steps that the engine executes, with values from the script.
_NO_NAMES: frozenset[str] = frozenset()
# Steps that neither change files nor set what a command could read.
_WITHOUT_FILES = (Export, TriggerJob, EngineText)
_ENGINE_STEPS = frozenset((TriggerJob, EngineText))


def output_commands(lowering: Lowering) -> list[Command]:
    """Return the commands that write values and packed files for other jobs and for triggered jobs."""
    job, host = lowering.job, lowering.host
    commands = [_write_output(name, lowering) for name in job.outputs if name not in lowering.direct]
    if job.expanded:
        commands += check_image_outputs(lowering)
    if not _ENGINE_STEPS.isdisjoint(map(type, job.steps)):
        commands += _write_parameters(lowering)
        commands += _engine_text_commands(lowering)
    if job.shared.container_paths and packs_container_paths(job, host):
        commands += _pack_containers(lowering)
    if job.artifacts and packs_files(job, host):
        commands += _pack_files(lowering)
    return commands


def _pack_files(lowering: Lowering) -> Iterator[Command]:
    """Yield the commands that pack files in a tar for other jobs."""
    job, host = lowering.job, lowering.host
    tar, folder = transfer_path(f"files/{job.slug}.tar", host), transfer_path("files", host)
    paths = [quote(operand(path)) for path in paths_in_place(job, host)]
    if not paths:
        yield from _stage_overwriting_files(lowering)
        yield Command((f"mkdir -p {folder}", f'tar -cf {tar} -C "$pipegen/files" .'))
        return
    yield Command((f"mkdir -p {folder}",), "files that replace those of other stages")
    if len(paths) == 1:
        yield Command((f"if [ -e {paths[0]} ]; then tar -cf {tar} {paths[0]}; fi",))
        return
    yield Command(
        (
            "set --",
            f'for pipegen_path in {" ".join(paths)}; do [ ! -e "$pipegen_path" ] || set -- "$@" "$pipegen_path"; done',
            f'if [ $# -gt 0 ]; then tar -cf {tar} "$@"; fi',
        )
    )


def _stage_overwriting_files(lowering: Lowering) -> Iterator[Command]:
    """Yield the commands that copy files that overwrite an ancestor's, where no copy step has done so."""
    artifacts = lowering.job.artifacts
    paths = [
        artifact.path
        for artifact in artifacts
        if artifact.path is not None and artifact.is_declared and is_packed(artifact, lowering.host)
    ]
    if paths:
        yield Command(('mkdir -p "$pipegen/files"',), "files that replace those of other stages")
    for path in paths:
        parent = dirname(path)
        folder = quote((ShellFragment("$pipegen/files"), Literal(f"/{parent}" if parent else "")))
        source = quote(operand(path))
        yield Command(
            (
                f"if [ -e {source} ]; then",
                *((f"  mkdir -p {folder}",) if parent else ()),
                f"  cp -RPp {source} {folder}",
                "fi",
            )
        )


def make_output_folder(lowering: Lowering) -> list[Command]:
    """Return the command that creates the folder of the job's outputs, if it has any and its script has not made it."""
    if not lowering.job.outputs or has_placed_outputs(lowering):
        return []
    return [Command((f"mkdir -p {transfer_path(f'outputs/{lowering.job.slug}', lowering.host)}",))]


def has_placed_outputs(lowering: Lowering) -> bool:
    """Return whether the script writes outputs into the folder from which other jobs get them."""
    return any(output.name in lowering.direct for output in _written(lowering.job))


def _written(job: Job) -> list[Measured]:
    """Return the outputs that the script of *job* writes to files of their names."""
    return [
        output
        for step in job.steps
        if isinstance(step, Commands)
        for output in step.outputs
        if output.measure is Measure.WRITTEN
    ]


def direct_outputs(job: Job, read: frozenset[str], host: ShellEnvironment) -> frozenset[str]:
    """Return the outputs of *job* that its commands write straight to their files.

    No step may read them (*read*), nor the engine, which would not drop the line breaks at the end. Those of commands
    come last, so that the outputs are measured in the order of the config. In a directory, only files with a known path
    are written so, once the script has left it.
    """
    if not job.outputs:
        return _NO_NAMES
    is_at_root = job.directory == "."
    written = _written(job)
    is_placed = is_at_root and bool(written) and _can_be_placed(written, job, read, host)
    direct = {output.name for output in written if is_placed and output.name in job.outputs}
    for step in reversed(job.steps):
        if isinstance(step, Commands):
            for output in reversed(step.outputs):
                is_used = output.name in job.outputs or output.name in read
                if is_used and not (is_placed and output.measure is Measure.WRITTEN):
                    is_found = is_at_root or (output.file is not None and output.file.constant is not None)
                    if output.measure is Measure.WRITTEN or not is_found or _is_read(output, job, read, host):
                        break
                    direct.add(output.name)
            break
        if not isinstance(step, _WITHOUT_FILES):
            break
    return frozenset(direct) if direct else _NO_NAMES


def _can_be_placed(written: Sequence[Measured], job: Job, read: frozenset[str], host: ShellEnvironment) -> bool:
    """Return whether the script can write the outputs *written* into the checkout, while nothing takes in all of it."""
    is_needed = any(output.name in job.outputs for output in written)
    is_apart = host.values is None and is_needed and not (is_cleared(job) or names_folder(job))
    return is_apart and not any(_is_read(output, job, read, host) for output in written)


def _is_read(output: Measured, job: Job, read: frozenset[str], host: ShellEnvironment) -> bool:
    """Return whether *job* itself, or the engine, reads *output*."""
    return output.name in read or output.name in job.expanded or Output(job.stage, output.name) in host.engine_reads


def _write_output(name: str, lowering: Lowering) -> Command:
    path = transfer_path(f"outputs/{lowering.job.slug}/{name}", lowering.host)
    return Command((f"printf %s {own_argument(name, lowering)} >{path}",))


def _write_parameters(lowering: Lowering) -> Iterator[Command]:
    """Yield the commands that write a triggered job's parameters that are known only at run time."""
    folder = f"trigger/{lowering.job.slug}"
    for step in lowering.job.steps:
        if not isinstance(step, TriggerJob) or all(text.constant is not None for _, text in step.parameters):
            continue
        yield Command((f"mkdir -p {transfer_path(folder, lowering.host)}",))
        for number, (_, text) in enumerate(step.parameters):
            if text.constant is None:
                path = transfer_path(f"{folder}/{number}", lowering.host)
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
    yield Command(
        (f"mkdir -p {transfer_path(folder, lowering.host)}",), "files that other jobs copy from the container"
    )
    for number, path in enumerate(job.shared.container_paths):
        if path.constant is None:
            continue
        lines, source = container_path(path, lowering)
        target = transfer_path(f"{folder}/{number}.tar", lowering.host)
        yield Command((*lines, f"{lowering.host.docker} cp {quote((*name, Literal(':'), *source))} - >{target}"))


def mark_success(job: Job, host: ShellEnvironment) -> Command:
    """Return the command that writes the status file of *job*, which succeeded."""
    folder, path = transfer_path("status", host), transfer_path(f"status/{job.slug}", host)
    return Command((f"mkdir -p {folder} && echo success >{path}",))
