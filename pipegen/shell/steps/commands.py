"""The user's own script, and the values that it leaves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from operator import attrgetter

from pipegen.bindings.expression import Reference, Text
from pipegen.bindings.script.model import PlacedReference
from pipegen.plan.model import Commands, Line, Measure, Measured
from pipegen.plan.model import ShellProgram as PlanShell
from pipegen.shell.command import Command
from pipegen.shell.layout import failure, indented, otherwise
from pipegen.shell.lowering import Lowering
from pipegen.shell.names import free
from pipegen.shell.quote import (
    Literal,
    ShellFragment,
    VariableExpansion,
    Word,
    assigned,
    constant,
    printf_format,
    quote,
)
from pipegen.shell.rewrite import rewrite
from pipegen.shell.steps.lines import joined, lines_of
from pipegen.shell.steps.ready import waited_for
from pipegen.shell.steps.traces import indentable, is_open_ended, leaves_traces, sets_nounset
from pipegen.shell.text import output_variable, own_variable, word

_OUTPUTS = "$pipegen/outputs"
_MEASURE = attrgetter("measure")
_PIPE = re.compile(r"(?<!\|)\|(?!\|)")


def commands(step: Commands, lowering: Lowering, *, is_alone: bool) -> list[Command]:
    """Return the commands of *step*; *is_alone* says that nothing of ours stands around it in its shell."""
    values = _Values(step, lowering)
    lines = [_rewritten(line, values, lowering) for line in step.lines]
    measures = [command for output in step.outputs if (command := _measured(output, values, lowering)) is not None]
    waits = _waits(values, lowering) if lowering.job.machine.services else []
    found = [*values.commands]
    for name, value in step.env:
        found += _exported(name, value, lowering)
    if Measure.WRITTEN in map(_MEASURE, step.outputs):
        found.append(Command((f'export PIPEGEN_OUTPUTS="{_OUTPUTS}"', 'mkdir "$PIPEGEN_OUTPUTS"')))
    if _pipes_fail(lowering) and _pipes([*lines, *[line for command in measures for line in command.lines]]):
        set_back = "case $(set -o) in *pipefail*) set +o pipefail ;; esac"
        found.append(Command((set_back,), "a pipeline's status is its last command's"))
    found += waits
    is_followed = not is_alone or bool(measures)
    found += _script(lines, in_own_shell=is_followed and any(map(leaves_traces, lines)))
    found += measures
    return found


def _waits(values: _Values, lowering: Lowering) -> list[Command]:
    """Return the commands that wait for the services around the job."""
    services = lowering.job.machine.services
    return [waited_for(one, _rewritten(one.ready, values, lowering), lowering) for one in services if one.ready]


def _exported(name: str, value: Text, lowering: Lowering) -> tuple[Command, ...]:
    """Return the commands that set the variable *name* for all commands that follow."""
    if several := lines_of(value):
        return (joined(name, several, lowering), Command((f"export {name}",)))
    return (Command((f"export {name}={quote(word(value, lowering, expands=True))}",)),)


def _pipes_fail(lowering: Lowering) -> bool:
    """Return whether the engine makes a pipeline fail with any of its commands, and the user does not ask for that."""
    return lowering.host.has_pipefail and lowering.job.machine.shell is not PlanShell.BASH


def _pipes(texts: Iterable[str]) -> bool:
    """Return whether one of *texts* may hold a pipeline."""
    text = "\n".join(texts)
    return "|" in text and _PIPE.search(text) is not None


class _Values:
    """The variables that stand for references in the script of *step*; *commands* set those that need it."""

    def __init__(self, step: Commands, lowering: Lowering) -> None:
        self.commands: list[Command] = []
        self._step = step
        self._lowering = lowering
        self._known: dict[tuple[str | None, ...], str] = {}

    def add(self, reference: Reference, text: Text) -> None:
        """Give *reference*, which comes to *text*, a variable."""
        said = _said(reference)
        if said in self._known:
            return
        known = output_variable(text, self._lowering)
        if known is not None:
            self._known[said] = known
            return
        found = word(text, self._lowering)
        match text.parts, found:
            case (Reference(),), (VariableExpansion(name=name),) if self._is_set(name):
                self._known[said] = name
                return
        namespace = reference.namespace or self._lowering.job.stage
        variable = free(f"pipegen_{namespace}_{reference.name}", self._taken)
        self._known[said] = variable
        several = lines_of(text)
        command = joined(variable, several, self._lowering) if several else Command((f"{variable}={assigned(found)}",))
        self.commands.append(command)

    def variable(self, placed: PlacedReference) -> str:
        """Return the variable of a reference."""
        return self._known[_said(placed.reference)]

    @cached_property
    def _taken(self) -> set[str]:
        """The variables that are set before, and those of these values."""
        names = self._lowering.variables
        return {*names.outputs.values(), *names.setup.values(), *names.inputs.values(), *names.defaults.values()}

    def _is_set(self, variable: str) -> bool:
        """Return whether *variable* may be read as it is: those of the engine need not be set."""
        return variable in self._taken or not self._may_refuse_unset

    @cached_property
    def _may_refuse_unset(self) -> bool:
        """Whether the script may tell its shell to end at a variable that is not set."""
        written = (part for line in self._step.lines for part in line.script.parts if isinstance(part, str))
        return any(sets_nounset(text) for text in written)


def _said(reference: Reference) -> tuple[str | None, ...]:
    """Return what *reference* says: within a script, two that say the same are the same."""
    return reference.namespace, reference.combinations, reference.name, reference.default


def _rewritten(line: Line, values: _Values, lowering: Lowering) -> str:
    """Return the text of *line* with variables; a CRLF ends a line, since not every engine hands it on."""
    for reference, text in line.values:
        values.add(reference, text)
    return rewrite(line.script, values.variable, lowering.variables.defaults).replace("\r\n", "\n").rstrip("\r\n")


def _script(lines: Sequence[str], *, in_own_shell: bool) -> list[Command]:
    """Return the user's *lines*; in a shell of their own, nothing that they do to it is there afterwards."""
    if in_own_shell:
        body = (one for line in lines for one in indented(indentable(line)))
        return [Command(("(", *body, ")"), is_users=True)]
    return [Command(indentable(line), is_users=True) for line in lines]


def _measured(output: Measured, values: _Values, lowering: Lowering) -> Command | None:
    """Return the command that measures *output*: where nobody reads it, only whether it is there."""
    variable = own_variable(output.name, lowering) if output.name in lowering.needed else None
    match output.measure:
        case Measure.COMMAND if output.command is not None and variable is not None:
            text = _rewritten(output.command, values, lowering)
            return Command((f"{variable}={_substituted(text)}",), is_users=True)
        case Measure.FILE if output.file is not None:
            path = word(output.file, lowering)
            return _from_file(path, _no_file(output, path, lowering), variable)
        case Measure.WRITTEN:
            missing = failure(lowering.job, f'output "{output.name}" was not written')
            return _from_file((ShellFragment(f"{_OUTPUTS}/"), Literal(output.name)), missing, variable)
    return None


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
