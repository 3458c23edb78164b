"""Values of other jobs and of the engine, read first; the job's own, written last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from posixpath import dirname

from pipegen.plan.model import Commands, Job, Measure, Output, Told, Trigger
from pipegen.shell.absence import may_be_absent
from pipegen.shell.after import left_for_after, values_after
from pipegen.shell.carried import FOLDER, carries, packs_containers, packs_files, read, written
from pipegen.shell.command import Command
from pipegen.shell.container_path import container_path
from pipegen.shell.expanded import expandable, values_of_names
from pipegen.shell.images import local_name
from pipegen.shell.inputs import read_inputs
from pipegen.shell.kept import container_name
from pipegen.shell.lowering import Lowering
from pipegen.shell.quote import Literal, Shell, assigned, quote, shell_text
from pipegen.shell.text import argument, own_value

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


def bound(outputs: Sequence[Output], setup: Sequence[str], lowering: Lowering) -> Iterator[Command]:
    """Yield the commands that read *outputs* of other jobs the *setup* values and the inputs."""
    arriving = (*outputs, *values_after(lowering.job, lowering.host), *values_of_names(lowering.job))
    carrying = _carrying(arriving, lowering)
    if carrying or _has_status_of_all(lowering):
        moved = f'mv {FOLDER} "$pipegen/in"'
        is_certain = any(not may_be_absent(one, lowering.job) for one in carrying)
        line = moved if is_certain else f"if [ -e {FOLDER} ]; then {moved}; fi"
        yield Command((line,), "what other jobs left, out of the checkout")
        yield from left_for_after(lowering)
    for stage in lowering.job.files:
        job = lowering.producers[stage]
        if packs_files(job, lowering.host):
            path = quote(read(f"files/{job.slug}.tar", lowering.host))
            is_certain = not may_be_absent(job, lowering.job)
            yield Command((f"tar -xf {path}" if is_certain else f"if [ -e {path} ]; then tar -xf {path}; fi",))
    for text, variable in lowering.variables.defaults.items():
        yield Command((f"{variable}={quote(text)}",))
    for name in setup:
        value = shell_text(lowering.host.setup(name) or "")
        if any(isinstance(fragment, Shell) for fragment in value):
            yield Command((f"{lowering.variables.setup[name]}={assigned(value)}",))
    yield from read_inputs(lowering)
    for output in outputs:
        yield _value(output, lowering)


def _carrying(outputs: Sequence[Output], lowering: Lowering) -> list[Job]:
    """Return the jobs whose *outputs*, files, containers or status may stand in the checkout when the script starts."""
    job, host = lowering.job, lowering.host
    containers = () if host.shares_daemon else job.containers
    stages = {*[output.stage for output in outputs], *job.files, *containers, *filter(None, job.statuses)}
    jobs = [lowering.producers[stage] for stage in sorted(stages)]
    return [one for one in jobs if carries(one, host)]


def _has_status_of_all(lowering: Lowering) -> bool:
    """Return whether the status of the pipeline may stand there."""
    return "" in lowering.job.statuses and lowering.host.has_status_files


def _value(output: Output, lowering: Lowering) -> Command:
    variable = lowering.variables.outputs[output]
    slug = lowering.producers[output.stage].slug
    path = quote(read(f"outputs/{slug}/{output.name}", lowering.host))
    lines: tuple[str, ...] = (f"{variable}=$(cat {path} && echo .)", f"{variable}=${{{variable}%.}}")
    if output.name in _ONE_LINE or _is_printed(output, lowering):
        lines = (f"{variable}=$(cat {path})",)
    if not may_be_absent(lowering.producers[output.stage], lowering.job):
        return Command(lines)
    return Command((f"{variable}=", f"if [ -e {path} ]; then", *(f"  {line}" for line in lines), "fi"))


def _is_printed(output: Output, lowering: Lowering) -> bool:
    """Return whether *output* is what a command printed, without line breaks at its end."""
    return any(
        one.name == output.name and one.measure is Measure.COMMAND
        for step in lowering.producers[output.stage].steps
        if isinstance(step, Commands)
        for one in step.outputs
    )


def left(lowering: Lowering) -> Iterator[Command]:
    """Yield the commands that leave values and packed files for other jobs, and for the jobs that are triggered."""
    yield from _outputs(lowering)
    yield from expandable(lowering)
    yield from _parameters(lowering)
    yield from _told(lowering)
    if packs_containers(lowering.job, lowering.host):
        yield from _containers(lowering)
    if packs_files(lowering.job, lowering.host):
        yield from _staged(lowering)
        path = written(f"files/{lowering.job.slug}.tar", lowering.host)
        folder = written("files", lowering.host)
        yield Command((f"mkdir -p {quote(folder)}", f'tar -cf {quote(path)} -C "$pipegen/files" .'))


def _staged(lowering: Lowering) -> Iterator[Command]:
    """Yield the commands that set aside what takes the place of an ancestor's files, where no copy has done so."""
    artifacts = lowering.job.artifacts
    paths = [one.path for one in artifacts if one.path is not None and one.is_declared and one.overwrites]
    if paths:
        yield Command(('mkdir -p "$pipegen/files"',), "what takes the place of other stages' files")
    for path in paths:
        above = dirname(path)
        folder = quote((Shell("$pipegen/files"), Literal(f"/{above}" if above else "")))
        place = quote(f"./{path}" if path.startswith("-") else path)
        yield Command(
            (
                f"if [ -e {place} ]; then",
                *((f"  mkdir -p {folder}",) if above else ()),
                f"  cp -RPp {place} {folder}",
                "fi",
            )
        )


def _outputs(lowering: Lowering) -> Iterator[Command]:
    job = lowering.job
    if not job.outputs:
        return
    folder = written(f"outputs/{job.slug}", lowering.host)
    yield Command((f"mkdir -p {quote(folder)}",))
    for name in job.outputs:
        value = local_name(lowering) if name == "imageLocalName" else own_value(name, lowering)
        path = quote((*folder, Literal(f"/{name}")))
        yield Command((f"printf %s {quote(value)} >{path}",))


def _parameters(lowering: Lowering) -> Iterator[Command]:
    """Yield the commands that write the parameters of a triggered job which only the run knows."""
    folder = written(f"trigger/{lowering.job.slug}", lowering.host)
    for step in lowering.job.steps:
        if not isinstance(step, Trigger) or all(text.constant is not None for _, text in step.parameters):
            continue
        yield Command((f"mkdir -p {quote(folder)}",))
        for number, (_, text) in enumerate(step.parameters):
            if text.constant is None:
                yield Command((f"printf %s {argument(text, lowering)} >{quote((*folder, Literal(f'/{number}')))}",))


def _told(lowering: Lowering) -> Iterator[Command]:
    for step in lowering.job.steps:
        if isinstance(step, Told):
            folder = dirname(step.file)
            yield Command((f"mkdir -p {quote((Literal(folder),))}",))
            yield Command((f"printf %s {argument(step.value, lowering)} >{quote((Literal(step.file),))}",))


def _containers(lowering: Lowering) -> Iterator[Command]:
    job = lowering.job
    folder = written(f"containers/{job.slug}", lowering.host)
    name = container_name(job, lowering.host)
    yield Command((f"mkdir -p {quote(folder)}",), "what other jobs copy from the container")
    for number, path in enumerate(job.shared.container_paths):
        if path.constant is None:
            continue
        lines, source = container_path(path, lowering)
        target = quote((*folder, Literal(f"/{number}.tar")))
        yield Command((*lines, f"$DOCKER cp {quote((*name, Literal(':'), *source))} - >{target}"))
