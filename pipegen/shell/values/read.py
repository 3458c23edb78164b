"""Values of other jobs and of the engine, which a script reads first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipegen.plan.model import Commands, Job, Measure, Output
from pipegen.shell.command import Command
from pipegen.shell.host import ShellEnvironment
from pipegen.shell.lowering import Lowering
from pipegen.shell.quote import ShellFragment, assigned, quote, shell_text
from pipegen.shell.values.absence import may_be_absent
from pipegen.shell.values.after import after_outputs, save_after_values
from pipegen.shell.values.image_values import outputs_in_image_names
from pipegen.shell.values.inputs import read_inputs
from pipegen.shell.values.transfers import (
    FOLDER,
    packs_files,
    path_to_read,
    transferred_paths,
)

_MOVE = f'mv {FOLDER} "$pipegen/in"'
_MOVE_IF_PRESENT = f"if [ -e {FOLDER} ]; then {_MOVE}; fi"
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


def status_commands(stages: Sequence[str], lowering: Lowering) -> Iterator[Command]:
    """Yield the commands that set the status variable of each of *stages* ("" is the pipeline)."""
    for stage in stages:
        slug = lowering.producers[stage].slug if stage else ""
        value = assigned(shell_text(lowering.host.status(slug)))
        yield Command((f"{lowering.variables.statuses[stage]}={value}",))
