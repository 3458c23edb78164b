"""Values of other jobs and of the engine, which the script reads first, and its own, which it writes last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from posixpath import dirname

from pipegen.plan.model import Commands, EngineText, Job, Measure, Output, TriggerJob
from pipegen.shell.absence import may_be_absent
from pipegen.shell.after import after_outputs, save_after_values
from pipegen.shell.command import Command
from pipegen.shell.container_path import container_path
from pipegen.shell.host import ShellEnvironment
from pipegen.shell.image_values import check_image_outputs, outputs_in_image_names
from pipegen.shell.inputs import read_inputs
from pipegen.shell.lowering import Lowering
from pipegen.shell.names import container_name
from pipegen.shell.quote import Literal, ShellFragment, assigned, quote, shell_text
from pipegen.shell.text import argument, own_argument
from pipegen.shell.transfers import (
    FOLDER,
    packs_container_paths,
    packs_files,
    path_to_read,
    path_to_write,
    transferred_paths,
)

_MOVE = f'mv {FOLDER} "$pipegen/in"'
_MOVE_IF_PRESENT = f"if [ -e {FOLDER} ]; then {_MOVE}; fi"
# Steps that the engine executes, with values from the script.
_ENGINE_STEPS = frozenset((TriggerJob, EngineText))
# These values never end in a newline, which `$( )` would drop.
_ONE_LINE = frozenset(
    {
        "imageID",
        "imageLocalName",
        "container",
        "imageName",
        "imageFullName",
        "imageTag",
        "imageTags",
        "publishedImage",
        "releaseName",
    }
)


def input_commands(outputs: Sequence[Output], setup: Sequence[str], lowering: Lowering) -> list[Command]:
    """Return the commands that read *outputs* of other jobs, the *setup* values and the inputs."""
    commands: list[Command] = []
    if (line := _move_line(outputs, lowering)) is not None:
        commands.append(Command((line,), "what other jobs left, out of the checkout"))
        if lowering.job.after:
            commands += save_after_values(lowering)
    for stage in lowering.job.files:
        job = lowering.producers[stage]
        if packs_files(job, lowering.host):
            path = path_to_read(f"files/{job.slug}.tar", lowering.host)
            is_certain = not may_be_absent(job, lowering.job)
            commands.append(
                Command((f"tar -xf {path}" if is_certain else f"if [ -e {path} ]; then tar -xf {path}; fi",))
            )
    for text, variable in lowering.variables.defaults.items():
        commands.append(Command((f"{variable}={quote(text)}",)))
    for name in setup:
        value = shell_text(lowering.host.setup(name) or "")
        if any(isinstance(fragment, ShellFragment) for fragment in value):
            commands.append(Command((f"{lowering.variables.setup[name]}={assigned(value)}",)))
    if lowering.variables.inputs:
        commands += read_inputs(lowering)
    commands += [_read_output(output, lowering) for output in outputs]
    return commands


def _move_line(outputs: Sequence[Output], lowering: Lowering) -> str | None:
    """Return the line that moves the values of other jobs out of the checkout; None where there can be none.

    The job may need values of the stages of *outputs*, of its `after` commands and image names, and of the stages whose
    files, containers or status it reads.
    """
    job, host = lowering.job, lowering.host
    may_be_present = "" in job.statuses and host.has_status_files
    for stage in _source_stages(outputs, job, host) if host.values is None else ():
        if stage and transferred_paths(producer := lowering.producers[stage], host):
            if not may_be_absent(producer, job):
                return _MOVE
            may_be_present = True
    return _MOVE_IF_PRESENT if may_be_present else None


def _source_stages(outputs: Sequence[Output], job: Job, host: ShellEnvironment) -> Iterator[str]:
    """Yield the stages whose values *job* reads, "" for the pipeline."""
    for output in outputs:
        yield output.stage
    for output in (*outputs_in_image_names(job), *(after_outputs(job, host) if job.after else ())):
        yield output.stage
    yield from job.files
    yield from () if host.shares_daemon else job.containers
    yield from job.statuses


def _read_output(output: Output, lowering: Lowering) -> Command:
    variable = lowering.variables.outputs[output]
    producer = lowering.producers[output.stage]
    path = path_to_read(f"outputs/{producer.slug}/{output.name}", lowering.host)
    if output.name in _ONE_LINE or _is_printed(output.name, producer):
        lines: tuple[str, ...] = (f"{variable}=$(cat {path})",)
    else:
        lines = (f"{variable}=$(cat {path} && echo .)", f"{variable}=${{{variable}%.}}")
    if not may_be_absent(producer, lowering.job):
        return Command(lines)
    return Command((f"{variable}=", f"if [ -e {path} ]; then", *(f"  {line}" for line in lines), "fi"))


def _is_printed(name: str, producer: Job) -> bool:
    """Return whether the output *name* is the output of a command, without line breaks at its end."""
    for step in producer.steps:
        if isinstance(step, Commands):
            for output in step.outputs:
                if output.name == name:
                    return output.measure is Measure.COMMAND
    return False


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


def status_commands(stages: Sequence[str], lowering: Lowering) -> Iterator[Command]:
    """Yield the commands that set the status variable of each of *stages* ("" is the pipeline)."""
    for stage in stages:
        slug = lowering.producers[stage].slug if stage else ""
        value = assigned(shell_text(lowering.host.status(slug)))
        yield Command((f"{lowering.variables.statuses[stage]}={value}",))


def mark_success(job: Job, host: ShellEnvironment) -> Command:
    """Return the command that writes the status file of *job*, which succeeded."""
    folder, path = path_to_write("status", host), path_to_write(f"status/{job.slug}", host)
    return Command((f"mkdir -p {folder} && echo success >{path}",))
