"""Running an image."""

from __future__ import annotations

from collections.abc import Iterator

from pipegen.bindings.expression import Text
from pipegen.plan.model import Credential, CredentialKind, RunContainer
from pipegen.shell.command import Command
from pipegen.shell.layout import indented, interruptible, wrapped
from pipegen.shell.lowering import Lowering
from pipegen.shell.names import container_name, is_container_retained
from pipegen.shell.quote import Literal, quote
from pipegen.shell.steps.image import image_lines, image_word
from pipegen.shell.words.items import arguments
from pipegen.shell.words.text import own_variable, word


def run(step: RunContainer, lowering: Lowering) -> Iterator[Command]:
    """Yield the commands of *step*."""
    name = quote(container_name(lowering.job, lowering.host))
    if is_container_retained(lowering.job, lowering.host):
        removal = f"$DOCKER rm --force --volumes {name} >/dev/null 2>&1 || :"
        yield Command((removal,), "a try before this one may have left it")
    if lines := image_lines(step.image, lowering):
        yield Command(lines)
    loop_lines, image_arguments = arguments(step.arguments, lowering)
    if loop_lines:
        yield Command(loop_lines, "the arguments")
    command = wrapped((f"$DOCKER run --name {name}", *_options(step, lowering), *image_arguments))
    if "output" not in lowering.needed:
        yield Command(interruptible(command))
        return
    if step.tail == 0:
        yield Command((*interruptible(command), f"{own_variable('output', lowering)}="))
        return
    yield from _run_with_output(command, step.tail, own_variable("output", lowering))


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


def _run_with_output(command: tuple[str, ...], tail: int, variable: str) -> Iterator[Command]:
    """Yield the commands that run *command* with a live log, and bind its last *tail* lines to *variable*."""
    yield Command(
        (
            "{",
            *indented((*command[:-1], f'{command[-1]} || echo "$?" >"$pipegen/status"')),
            *interruptible(('} | tee "$pipegen/output"',)),
            '[ ! -e "$pipegen/status" ] || exit "$(cat "$pipegen/status")"',
        ),
        "the image, its output also kept in a file",
    )
    # In PipelineLib, a negative number means all of the output, unchanged.
    last = f'tail -n {tail} "$pipegen/output" | awk \'1; END {{ if (!NR) print "" }}\''
    if tail < 0:
        last = 'cat "$pipegen/output"'
    yield Command((f"{variable}=$({last} && echo .)", f"{variable}=${{{variable}%.}}"))
