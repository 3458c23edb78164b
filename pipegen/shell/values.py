"""Values of other jobs and of the engine, read first; the job's own, written last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from posixpath import dirname

from pipegen.plan.model import Commands, EngineText, Job, Measure, Output, TriggerJob
from pipegen.shell.absence import may_be_absent
from pipegen.shell.after import left_for_after, values_after
from pipegen.shell.carried import FOLDER, carries, packs_containers, packs_files, read, written
from pipegen.shell.command import Command
from pipegen.shell.container_path import container_path
from pipegen.shell.expanded import expandable, values_of_names
from pipegen.shell.host import ShellEnvironment
from pipegen.shell.inputs import read_inputs
from pipegen.shell.kept import container_name
from pipegen.shell.lowering import Lowering
from pipegen.shell.quote import Literal, ShellFragment, assigned, quote, shell_text
from pipegen.shell.text import argument, own_argument

_MOVED = f'mv {FOLDER} "$pipegen/in"'
_MOVED_IF_THERE = f"if [ -e {FOLDER} ]; then {_MOVED}; fi"
# The steps that leave values for what the engine does itself.
_HANDED_ON = frozenset((TriggerJob, EngineText))
# What these hold never ends in a newline; `$( )` would drop it.
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


def bound(outputs: Sequence[Output], setup: Sequence[str], lowering: Lowering) -> list[Command]:
    """Return the commands that read *outputs* of other jobs, the *setup* values and the inputs."""
    found: list[Command] = []
    if (line := _moved(outputs, lowering)) is not None:
        found.append(Command((line,), "what other jobs left, out of the checkout"))
        if lowering.job.after:
            found += left_for_after(lowering)
    for stage in lowering.job.files:
        job = lowering.producers[stage]
        if packs_files(job, lowering.host):
            path = read(f"files/{job.slug}.tar", lowering.host)
            is_certain = not may_be_absent(job, lowering.job)
            found.append(Command((f"tar -xf {path}" if is_certain else f"if [ -e {path} ]; then tar -xf {path}; fi",)))
    for text, variable in lowering.variables.defaults.items():
        found.append(Command((f"{variable}={quote(text)}",)))
    for name in setup:
        value = shell_text(lowering.host.setup(name) or "")
        if any(isinstance(fragment, ShellFragment) for fragment in value):
            found.append(Command((f"{lowering.variables.setup[name]}={assigned(value)}",)))
    if lowering.variables.inputs:
        found += read_inputs(lowering)
    found += [_value(output, lowering) for output in outputs]
    return found


def _moved(outputs: Sequence[Output], lowering: Lowering) -> str | None:
    """Return the line that moves what other jobs left out of the checkout; None where nothing can stand there.

    It may be of those of its *outputs*, of what comes after it, of the names of its images, and of those whose files,
    containers or status it reads.
    """
    job, host = lowering.job, lowering.host
    may_be_there = "" in job.statuses and host.has_status_files
    for stage in _sources(outputs, job, host) if host.values is None else ():
        if stage and carries(producer := lowering.producers[stage], host):
            if not may_be_absent(producer, job):
                return _MOVED
            may_be_there = True
    return _MOVED_IF_THERE if may_be_there else None


def _sources(outputs: Sequence[Output], job: Job, host: ShellEnvironment) -> Iterator[str]:
    """Yield the stages that *job* has anything from, "" for the pipeline."""
    for output in outputs:
        yield output.stage
    for output in (*values_of_names(job), *(values_after(job, host) if job.after else ())):
        yield output.stage
    yield from job.files
    yield from () if host.shares_daemon else job.containers
    yield from job.statuses


def _value(output: Output, lowering: Lowering) -> Command:
    variable = lowering.variables.outputs[output]
    producer = lowering.producers[output.stage]
    path = read(f"outputs/{producer.slug}/{output.name}", lowering.host)
    if output.name in _ONE_LINE or _is_printed(output.name, producer):
        lines: tuple[str, ...] = (f"{variable}=$(cat {path})",)
    else:
        lines = (f"{variable}=$(cat {path} && echo .)", f"{variable}=${{{variable}%.}}")
    if not may_be_absent(producer, lowering.job):
        return Command(lines)
    return Command((f"{variable}=", f"if [ -e {path} ]; then", *(f"  {line}" for line in lines), "fi"))


def _is_printed(name: str, producer: Job) -> bool:
    """Return whether the output *name* is what a command printed, without line breaks at its end."""
    for step in producer.steps:
        if isinstance(step, Commands):
            for one in step.outputs:
                if one.name == name:
                    return one.measure is Measure.COMMAND
    return False


def left(lowering: Lowering) -> list[Command]:
    """Return the commands that leave values and packed files for other jobs, and for the jobs that are triggered."""
    job, host = lowering.job, lowering.host
    found = _outputs(lowering) if job.outputs else []
    if job.expanded:
        found += expandable(lowering)
    if not _HANDED_ON.isdisjoint(map(type, job.steps)):
        found += _parameters(lowering)
        found += _told(lowering)
    if job.shared.container_paths and packs_containers(job, host):
        found += _containers(lowering)
    if job.artifacts and packs_files(job, host):
        found += _staged(lowering)
        path, folder = written(f"files/{job.slug}.tar", host), written("files", host)
        found.append(Command((f"mkdir -p {folder}", f'tar -cf {path} -C "$pipegen/files" .')))
    return found


def _staged(lowering: Lowering) -> Iterator[Command]:
    """Yield the commands that set aside what takes the place of an ancestor's files, where no copy has done so."""
    artifacts = lowering.job.artifacts
    paths = [one.path for one in artifacts if one.path is not None and one.is_declared and one.overwrites]
    if paths:
        yield Command(('mkdir -p "$pipegen/files"',), "what takes the place of other stages' files")
    for path in paths:
        above = dirname(path)
        folder = quote((ShellFragment("$pipegen/files"), Literal(f"/{above}" if above else "")))
        place = quote(f"./{path}" if path.startswith("-") else path)
        yield Command(
            (
                f"if [ -e {place} ]; then",
                *((f"  mkdir -p {folder}",) if above else ()),
                f"  cp -RPp {place} {folder}",
                "fi",
            )
        )


def _outputs(lowering: Lowering) -> list[Command]:
    folder = f"outputs/{lowering.job.slug}"
    found = [Command((f"mkdir -p {written(folder, lowering.host)}",))]
    for name in lowering.job.outputs:
        path = written(f"{folder}/{name}", lowering.host)
        found.append(Command((f"printf %s {own_argument(name, lowering)} >{path}",)))
    return found


def _parameters(lowering: Lowering) -> Iterator[Command]:
    """Yield the commands that write the parameters of a triggered job which only the run knows."""
    folder = f"trigger/{lowering.job.slug}"
    for step in lowering.job.steps:
        if not isinstance(step, TriggerJob) or all(text.constant is not None for _, text in step.parameters):
            continue
        yield Command((f"mkdir -p {written(folder, lowering.host)}",))
        for number, (_, text) in enumerate(step.parameters):
            if text.constant is None:
                path = written(f"{folder}/{number}", lowering.host)
                yield Command((f"printf %s {argument(text, lowering)} >{path}",))


def _told(lowering: Lowering) -> Iterator[Command]:
    for step in lowering.job.steps:
        if isinstance(step, EngineText):
            folder = dirname(step.file)
            yield Command((f"mkdir -p {quote((Literal(folder),))}",))
            yield Command((f"printf %s {argument(step.value, lowering)} >{quote((Literal(step.file),))}",))


def _containers(lowering: Lowering) -> Iterator[Command]:
    job = lowering.job
    folder = f"containers/{job.slug}"
    name = container_name(job, lowering.host)
    yield Command((f"mkdir -p {written(folder, lowering.host)}",), "what other jobs copy from the container")
    for number, path in enumerate(job.shared.container_paths):
        if path.constant is None:
            continue
        lines, source = container_path(path, lowering)
        target = written(f"{folder}/{number}.tar", lowering.host)
        yield Command((*lines, f"$DOCKER cp {quote((*name, Literal(':'), *source))} - >{target}"))
