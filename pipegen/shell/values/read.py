"""Values of other jobs and of the engine, which a script reads first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipegen.plan.model import Commands, Job, Measure, Output, TriggerJob
from pipegen.plan.model.steps import declares
from pipegen.plan.model.texts import outputs_in
from pipegen.shell.command import Command
from pipegen.shell.host import ShellEnvironment
from pipegen.shell.layout import captured, indented, wrapped
from pipegen.shell.lowering import Lowering
from pipegen.shell.quote import ShellFragment, VariableExpansion, assigned, quote, shell_text
from pipegen.shell.values.absence import may_be_absent
from pipegen.shell.values.after import after_outputs, save_after_values
from pipegen.shell.values.inputs import read_inputs
from pipegen.shell.values.transfers import (
    FOLDER,
    READ_LATER,
    is_cleared,
    is_read_later,
    packs_files,
    path_in_loop,
    paths_in_place,
    transfer_path,
    transferred_paths,
)
from pipegen.shell.words.text import status_word

# Steps bind these to values that never end in a newline, which `$( )` would drop.
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
    for stage in lowering.job.files:
        if all(type(step) is TriggerJob for step in lowering.job.steps):
            break  # GitLab reads the file of a child pipeline itself.
        job = lowering.producers[stage]
        if packs_files(job, lowering.host):
            path = transfer_path(f"files/{job.slug}.tar", lowering.host)
            is_certain = not may_be_absent(job, lowering.job) and not paths_in_place(job, lowering.host)
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
    commands += [_read_list(list_, variable, lowering) for list_, variable in lowering.variables.lists.items()]
    return commands


def clear_folder(outputs: Sequence[Output], lowering: Lowering) -> list[Command]:
    """Return the commands that take what other jobs left out of the checkout, once it is read.

    The job may get values of the stages of *outputs*, of its `after` commands and image names, and of the stages whose
    files, containers or status it reads.
    """
    job, host = lowering.job, lowering.host
    if host.values is not None or not is_cleared(job):
        return []
    sources = [stage for stage in _source_stages(outputs, job, host) if stage]
    producers = [producer for stage in sources if transferred_paths(producer := lowering.producers[stage], host)]
    if not producers and not ("" in job.statuses and host.has_status_files):
        return []
    commands = [*save_after_values(lowering)] if job.after else []
    if not is_read_later(job, host):
        return [*commands, Command((f"rm -rf {FOLDER}",))]
    is_certain = not all(may_be_absent(producer, job) for producer in producers)
    move = f'mv {FOLDER} "{READ_LATER}"'
    line = move if is_certain else f"if [ -e {FOLDER} ]; then {move}; fi"
    return [*commands, Command((line,), "moves files of other jobs out of the checkout")]


def _source_stages(outputs: Sequence[Output], job: Job, host: ShellEnvironment) -> Iterator[str]:
    """Yield the stages whose values *job* reads, "" for the pipeline."""
    for output in outputs:
        yield output.stage
    for output in (*outputs_in(job.machine.image_names), *(after_outputs(job, host) if job.after else ())):
        yield output.stage
    yield from job.files
    yield from () if host.shares_daemon else job.containers
    yield from job.statuses


def _read_list(outputs: tuple[Output, ...], variable: str, lowering: Lowering) -> Command:
    """Return the command that sets *variable* to *outputs*, one on each line."""
    producers = [lowering.producers[output.stage] for output in outputs]
    name = outputs[0].name
    path = path_in_loop("outputs", "pipegen_job", name, lowering.host)
    test = f"[ ! -e {path} ] || " if any(may_be_absent(producer, lowering.job) for producer in producers) else ""
    if all(_is_line(name, producer) for producer in producers):
        # In a substitution, bash does not end at the first failure.
        body = (f"pipegen_value=$({test}cat {path}) || exit", "printf '%s\\n' \"$pipegen_value\"")
    else:
        body = (f"{test}cat {path} || exit", "echo")
    *lines, last = wrapped((f"{variable}=$(for pipegen_job in", *(producer.slug for producer in producers)))
    end = ("done && echo .)", f"{variable}=${{{variable}%?.}}")
    return Command((*lines, f"{last}; do", *indented(body), *end))


def _is_line(name: str, producer: Job) -> bool:
    """Return whether line breaks at the end of the output *name* of *producer* do not count."""
    return is_command_output(name, producer) or (name in _ONE_LINE and not declares(producer.steps, name))


def _read_output(output: Output, lowering: Lowering) -> Command:
    variable = lowering.variables.outputs[output]
    producer = lowering.producers[output.stage]
    path = transfer_path(f"outputs/{producer.slug}/{output.name}", lowering.host)
    is_line = _is_line(output.name, producer)
    value = f"cat {path}"
    if may_be_absent(producer, lowering.job):
        value = f"if [ -e {path} ]; then {value}; fi"
    if is_line:
        return Command((f"{variable}=$({value})",))
    return Command(captured(variable, value))


def is_command_output(name: str, producer: Job) -> bool:
    """Return whether the output *name* of *producer* is that of a command: line breaks at its end do not count."""
    for step in producer.steps:
        if isinstance(step, Commands):
            for output in step.outputs:
                if output.name == name:
                    return output.measure is Measure.COMMAND
    return False


def status_commands(stages: Sequence[str], lowering: Lowering) -> Iterator[Command]:
    """Yield the commands that set the status variable of each of *stages* ("" is the pipeline) that has one."""
    for stage in stages:
        variable = lowering.variables.statuses[stage]
        if status_word(stage, lowering) == (VariableExpansion(variable),):
            slug = lowering.producers[stage].slug if stage else ""
            yield Command((f"{variable}={assigned(shell_text(lowering.host.status(slug)))}",))
