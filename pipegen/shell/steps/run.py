"""Running an image."""

from __future__ import annotations

from collections.abc import Iterator

from pipegen.bindings.expression import Text
from pipegen.plan.model import Credential, CredentialKind, RunContainer
from pipegen.shell.command import Command
from pipegen.shell.items import arguments
from pipegen.shell.kept import container_name, keeps_container
from pipegen.shell.layout import indented, waited, wrapped
from pipegen.shell.lowering import Lowering
from pipegen.shell.quote import Literal, quote
from pipegen.shell.steps.image import image_lines, image_word
from pipegen.shell.text import own_variable, word


def run(step: RunContainer, lowering: Lowering) -> Iterator[Command]:
    """Yield the commands of *step*."""
    name = quote(container_name(lowering.job, lowering.host))
    if keeps_container(lowering.job, lowering.host):
        removal = f"$DOCKER rm --force --volumes {name} >/dev/null 2>&1 || :"
        yield Command((removal,), "a try before this one may have left it")
    if lines := image_lines(step.image, lowering):
        yield Command(lines)
    gathered, words = arguments(step.arguments, lowering)
    if gathered:
        yield Command(gathered, "the arguments")
    command = wrapped((f"$DOCKER run --name {name}", *_options(step, lowering), *words))
    if "output" not in lowering.needed:
        yield Command(waited(command))
        return
    if step.tail == 0:
        yield Command((*waited(command), f"{own_variable('output', lowering)}="))
        return
    yield from _recorded(command, step.tail, own_variable("output", lowering))


def _options(step: RunContainer, lowering: Lowering) -> Iterator[str]:
    for name, value in step.env:
        yield f"--env {_setting(name, value, lowering)}"
    for credential in step.credentials:
        yield from _bound(credential)
    yield quote(image_word(step.image, lowering))


def _setting(name: Text, value: Text, lowering: Lowering) -> str:
    return quote((*word(name, lowering), Literal("="), *word(value, lowering, expands=True)))


def _bound(credential: Credential) -> Iterator[str]:
    """Yield the options that hand over *credential* from the environment: no secret is part of a command."""
    for variable in credential.variables:
        yield f"--env {variable}"
        if credential.kind is CredentialKind.SSH_KEY:
            yield f'--volume "${variable}:${variable}:ro"'


def _recorded(command: tuple[str, ...], tail: int, variable: str) -> Iterator[Command]:
    """Yield the commands that run *command* with a live log, and bind the log's last lines to *variable*."""
    yield Command(
        (
            "{",
            *indented((*command[:-1], f'{command[-1]} || echo "$?" >"$pipegen/status"')),
            *waited(('} | tee "$pipegen/output"',)),
            '[ ! -e "$pipegen/status" ] || exit "$(cat "$pipegen/status")"',
        ),
        "the image, its output also kept in a file",
    )
    # A negative number is PipelineLib's for all of the output, as it is.
    last = f'tail -n {tail} "$pipegen/output" | awk \'1; END {{ if (!NR) print "" }}\''
    if tail < 0:
        last = 'cat "$pipegen/output"'
    yield Command((f"{variable}=$({last} && echo .)", f"{variable}=${{{variable}%.}}"))
