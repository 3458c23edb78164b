"""Running an image."""

from __future__ import annotations

from collections.abc import Iterator

from pipegen.bindings.expression import Text
from pipegen.plan.model import Commands, Copy, Credential, CredentialKind, RunContainer
from pipegen.shell.command import Command
from pipegen.shell.layout import captured, indented, interruptible, wrapped
from pipegen.shell.lowering import Lowering
from pipegen.shell.names import container_name, is_container_retained
from pipegen.shell.quote import Literal, quote
from pipegen.shell.steps.image import image_lines, image_word
from pipegen.shell.values.transfers import packs_container_paths
from pipegen.shell.words.items import arguments
from pipegen.shell.words.text import own_variable, word


def run(step: RunContainer, lowering: Lowering) -> Iterator[Command]:
    """Yield the commands of *step*."""
    name = quote(container_name(lowering.job, lowering.host))
    host = lowering.host
    if is_container_retained(lowering.job, host):
        removal = f"{host.docker} rm --force --volumes {name} >/dev/null 2>&1 || :"
        yield Command((removal,), "an earlier attempt may have left it")
    if lines := image_lines(step.image, lowering):
        yield Command(lines)
    loop_lines, image_arguments = arguments(step.arguments, lowering)
    if loop_lines:
        yield Command(loop_lines, "the arguments")
    removal_option = ["--rm"] if host.is_disposable and not _is_used_later(lowering) else []
    command = wrapped(
        (f"{host.docker} run", *removal_option, f"--name {name}", *_options(step, lowering), *image_arguments)
    )
    if "output" in lowering.needed and step.tail != 0:
        yield from _run_with_output(command, step.tail, lowering)
        return
    yield Command(command if host.is_disposable else interruptible(command))
    if "output" in lowering.needed:
        yield Command((f"{own_variable('output', lowering)}=",))


def _is_used_later(lowering: Lowering) -> bool:
    """Return whether the container is used when it has stopped: files are copied from it, or its name is read."""
    job = lowering.job
    return (
        is_container_retained(job, lowering.host)
        or "container" in lowering.needed
        or packs_container_paths(job, lowering.host)
        or any(isinstance(step, Copy) for step in job.steps)
    )


def _options(step: RunContainer, lowering: Lowering) -> Iterator[str]:
    for name, value in step.env:
        yield f"--env {_env_assignment(name, value, lowering)}"
    for credential in step.credentials:
        yield from _credential_options(credential)
    yield quote(image_word(step.image, lowering))


def _env_assignment(name: Text, value: Text, lowering: Lowering) -> str:
    return quote((*word(name, lowering), Literal("="), *word(value, lowering, expands=True)))


def _credential_options(credential: Credential) -> Iterator[str]:
    """Yield the options that pass *credential* from the environment: no secret is part of a command."""
    for variable in credential.variables:
        yield f"--env {variable}"
        if credential.kind is CredentialKind.SSH_KEY:
            yield f'--volume "${variable}:${variable}:ro"'


def _run_with_output(command: tuple[str, ...], tail: int, lowering: Lowering) -> Iterator[Command]:
    """Yield the commands that run *command* with a live log, and bind the last *tail* lines to the job's output."""
    variable = own_variable("output", lowering)
    if lowering.host.is_disposable and not any(isinstance(step, Commands) for step in lowering.job.steps):
        # The engine's shell has `pipefail`, which a script may switch off.
        yield Command((*command[:-1], f'{command[-1]} | tee "$pipegen/output"'))
    else:
        tee = ('} | tee "$pipegen/output"',)
        yield Command(
            (
                "{",
                *indented((*command[:-1], f'{command[-1]} || echo "$?" >"$pipegen/status"')),
                *(tee if lowering.host.is_disposable else interruptible(tee)),
                '[ ! -e "$pipegen/status" ] || exit "$(cat "$pipegen/status")"',
            ),
            "the image, whose output is also saved in a file",
        )
    # In PipelineLib, a negative number means all of the output, unchanged.
    last = f'tail -n {tail} "$pipegen/output" | awk \'1; END {{ if (!NR) print "" }}\''
    if tail < 0:
        last = 'cat "$pipegen/output"'
    yield Command(captured(variable, last))
