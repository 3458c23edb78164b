"""The user's own script, and the values that it leaves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from pipegen.bindings.expression import Reference, Text
from pipegen.bindings.script import Placed, Script
from pipegen.plan.model import Commands, Line, Measure, Measured
from pipegen.plan.model import Shell as PlanShell
from pipegen.shell.command import Command
from pipegen.shell.layout import failure, indented, otherwise
from pipegen.shell.lowering import Lowering
from pipegen.shell.names import free
from pipegen.shell.quote import Literal, Shell, Variable, Word, assigned, constant, printf_format, quote
from pipegen.shell.rewrite import rewrite
from pipegen.shell.steps.lines import joined, lines_of
from pipegen.shell.steps.ready import waited_for
from pipegen.shell.steps.traces import indentable, is_open_ended, leaves_traces
from pipegen.shell.text import own_variable, word

_OUTPUTS = "$pipegen/outputs"
_PIPE = re.compile(r"(?<!\|)\|(?!\|)")
_NOUNSET = re.compile(r"\bset\b[^\n;]*u")


def commands(step: Commands, lowering: Lowering, *, is_alone: bool) -> Iterator[Command]:
    """Yield the commands of *step*; *is_alone* says that nothing of ours stands around it in its shell."""
    values = _Values(lowering, is_guarded=_may_refuse_unset(step))
    lines = [_rewritten(line, values, lowering) for line in step.lines]
    measures = tuple(chain.from_iterable(_measured(output, values, lowering) for output in step.outputs))
    services = lowering.job.machine.services
    ready = [(service, _rewritten(service.ready, values, lowering)) for service in services if service.ready]
    yield from values.commands
    for name, value in step.env:
        if several := lines_of(value):
            yield joined(name, several, lowering)
            yield Command((f"export {name}",))
        else:
            yield Command((f"export {name}={quote(word(value, lowering, expands=True))}",))
    if any(output.measure is Measure.WRITTEN for output in step.outputs):
        yield Command((f'export PIPEGEN_OUTPUTS="{_OUTPUTS}"', 'mkdir "$PIPEGEN_OUTPUTS"'))
    measured = (line for command in measures for line in command.lines)
    if _pipes_fail(lowering) and any(_PIPE.search(text) for text in (*lines, *measured)):
        yield Command(
            ("case $(set -o) in *pipefail*) set +o pipefail ;; esac",), "a pipeline's status is its last command's"
        )
    for service, text in ready:
        yield waited_for(service, text, lowering)
    is_followed = not is_alone or bool(measures)
    yield from _script(lines, in_own_shell=is_followed and any(map(leaves_traces, lines)))
    yield from measures


def _pipes_fail(lowering: Lowering) -> bool:
    """Return whether the engine makes a pipeline fail with any of its commands, and the user does not ask for that."""
    return lowering.host.has_pipefail and lowering.job.machine.shell is not PlanShell.BASH


class _Values:
    """The variables that stand for references in a script; *commands* set those that need it.

    *is_guarded* gives the engine's variables, which need not be set, a variable of ours.
    """

    def __init__(self, lowering: Lowering, *, is_guarded: bool) -> None:
        self.commands: list[Command] = []
        self._lowering = lowering
        self._is_guarded = is_guarded
        names = lowering.variables
        self._taken = {
            variable
            for held in (names.outputs, names.setup, names.inputs, names.defaults)
            for variable in held.values()
        }
        self._known: dict[Reference, str] = {}

    def add(self, reference: Reference, text: Text) -> None:
        """Give *reference*, which comes to *text*, a variable."""
        if reference in self._known:
            return
        found = word(text, self._lowering)
        first = found[0] if len(found) == 1 else None
        if text.reference is not None and isinstance(first, Variable) and self._is_set(first):
            self._known[reference] = first.name
            return
        namespace = reference.namespace or self._lowering.job.stage
        variable = free(f"pipegen_{namespace}_{reference.name}", self._taken)
        self._known[reference] = variable
        several = lines_of(text)
        command = joined(variable, several, self._lowering) if several else Command((f"{variable}={assigned(found)}",))
        self.commands.append(command)

    def variable(self, placed: Placed) -> str:
        """Return the variable of a reference."""
        return self._known[placed.reference]

    def _is_set(self, variable: Variable) -> bool:
        return not self._is_guarded or variable.name in self._taken


def _may_refuse_unset(step: Commands) -> bool:
    """Return whether the script may tell its shell to end at a variable that is not set."""
    written = (part for line in step.lines for part in line.script.parts if isinstance(part, str))
    return any(_NOUNSET.search(text) for text in written)


def _rewritten(line: Line, values: _Values, lowering: Lowering) -> str:
    for reference, text in line.values:
        values.add(reference, text)
    return _text(line.script, values, lowering)


def _text(script: Script, values: _Values, lowering: Lowering) -> str:
    """Return the text of *script* with variables; a CRLF ends a line, since not every engine hands it on."""
    text = rewrite(script, values.variable, lowering.variables.defaults)
    return text.replace("\r\n", "\n").rstrip("\r\n")


def _script(lines: Sequence[str], *, in_own_shell: bool) -> Iterator[Command]:
    """Yield the user's *lines*; in a shell of their own, nothing that they do to it is there afterwards."""
    if in_own_shell:
        body = (one for line in lines for one in indented(indentable(line)))
        yield Command(("(", *body, ")"), is_users=True)
        return
    for line in lines:
        yield Command(indentable(line), is_users=True)


def _measured(output: Measured, values: _Values, lowering: Lowering) -> tuple[Command, ...]:
    """Return the commands that measure *output*: where nobody reads it, only whether it is there."""
    variable = own_variable(output.name, lowering) if output.name in lowering.needed else None
    match output.measure:
        case Measure.COMMAND if output.command is not None and variable is not None:
            text = _rewritten(output.command, values, lowering)
            return (Command((f"{variable}={_substituted(text)}",), is_users=True),)
        case Measure.FILE if output.file is not None:
            path = word(output.file, lowering)
            missing = _no_file(output, path, lowering)
            return (_from_file(path, missing, variable),)
        case Measure.WRITTEN:
            missing = failure(lowering.job, f'output "{output.name}" was not written')
            return (_from_file((Shell(f"{_OUTPUTS}/"), Literal(output.name)), missing, variable),)
    return ()


def _no_file(output: Measured, path: Word, lowering: Lowering) -> tuple[str, ...]:
    start, known = f'output "{output.name}": there is no file', constant(path)
    if known is not None:
        return failure(lowering.job, f'{start} "{printf_format(known)}"')
    return failure(lowering.job, f'{start} "%s"', path)


def _substituted(text: str) -> str:
    """Return the substitution of the commands *text*, which ends at the first that fails."""
    # Outside of its POSIX mode, bash takes no -e along into a substitution.
    several = is_open_ended(text)
    if "#" in text or "\n" in text:
        return "\n".join(("$(", *(("set -e",) if several else ()), text, ")"))
    # `$((` would begin arithmetic.
    start = "set -e; " if several else " " * text.startswith("(")
    return f"$({start}{text})"


def _from_file(path: Word, missing: Sequence[str], variable: str | None) -> Command:
    file = quote(path)
    check = otherwise(f"[ -f {file} ]", missing)
    if variable is None:
        return Command(check)
    return Command((*check, f"{variable}=$(cat <{file} && echo .)", f"{variable}=${{{variable}%.}}"))
