"""The user's own script, and its outputs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from operator import attrgetter
from posixpath import join

from pipegen.bindings.expression import Reference, Text
from pipegen.bindings.script.model import ParsedScript, PlacedReference
from pipegen.plan.model import Case, Commands, Line, Measure, Measured
from pipegen.plan.model import ShellProgram as PlanShell
from pipegen.shell.command import Command
from pipegen.shell.layout import captured, failure, indented, otherwise, wrapped
from pipegen.shell.lowering import Lowering
from pipegen.shell.marks import MARK_FUNCTION, mark, marked_lines
from pipegen.shell.names import plain
from pipegen.shell.quote import (
    Literal,
    ShellFragment,
    VariableExpansion,
    Word,
    assigned,
    between_quotes,
    constant,
    operand,
    printf_format,
    quote,
)
from pipegen.shell.steps.services import wait_for_service
from pipegen.shell.uses import is_plain
from pipegen.shell.values.transfers import FOLDER, transfer_path
from pipegen.shell.values.write import has_placed_outputs
from pipegen.shell.words.rewrite import rewrite, with_constants
from pipegen.shell.words.shell_effects import (
    indentable,
    is_comment,
    is_open_ended,
    may_affect_followers,
    may_change_shell,
    may_pass_failures,
    may_pipe,
    may_redirect,
    sets_nounset,
)
from pipegen.shell.words.text import argument, list_variable, output_variable, own_variable, word

_OUTPUTS = "$pipegen/outputs"
_MEASURE = attrgetter("measure")
_SET_PIPEFAIL = r"\s*set(?:\s+[-+]\w+)*\s+[-+]\w*o\s+pipefail\s*"


def commands(step: Commands, lowering: Lowering, *, is_alone: bool) -> tuple[list[Command], list[Command]]:
    """Return the commands of *step*, and those that write its outputs straight to the files of `lowering.direct`.

    *is_alone* means that its shell runs no other commands of ours.
    """
    values = _Values(step, lowering)
    lines = [_rewritten(line, values, lowering) for line in step.lines]
    waits = _waits(values, lowering) if lowering.job.machine.services else []
    # If one line of the user is all that runs, it is the one that fails.
    is_single = is_alone and len(lines) == 1 and "\n" not in lines[0].rstrip("\n")
    is_single = is_single and not (step.outputs or step.env or waits or values.commands)
    is_marked = lowering.host.marks_commands and not is_single
    lines = marked_lines(lines) if is_marked else lines
    measures: list[Command] = []
    direct: list[Command] = []
    unread = [] if is_marked else [output.name for output in step.outputs if _is_only_checked(output, lowering)]
    if len(unread) > 1:
        measures.append(_check_written(unread, lowering))
    for number, output in enumerate(step.outputs, start=len(lines)):
        if len(unread) > 1 and output.name in unread:
            continue
        marks = [Command((mark(number),), is_users=True)] if is_marked else []
        if (command := _measured(output, values, lowering)) is not None:
            measures += [*marks, command]
        elif output.name in lowering.direct:
            direct += [*marks, _written(output, values, lowering)]
    setup_commands = [*values.commands]
    if is_marked:
        setup_commands.append(Command(MARK_FUNCTION, is_users=True))
    setup_commands += _exports(step, lowering)
    if Measure.WRITTEN in map(_MEASURE, step.outputs):
        setup_commands += _make_folder(lowering)
    is_followed = not is_alone or bool(measures)
    script_commands = _script(lines, in_own_shell=is_followed and may_affect_followers(lines))
    users_commands = [*waits, *script_commands, *measures]
    if is_marked and not is_alone:
        users_commands.append(Command((mark(None),), is_users=True))
    if _pipes_fail(lowering):
        users_commands, direct = _without_pipefail(users_commands, direct)
    return [*setup_commands, *users_commands], direct


def _waits(values: _Values, lowering: Lowering) -> list[Command]:
    """Return the commands that wait for the services of the job."""
    services = lowering.job.machine.services
    return [
        wait_for_service(service, _rewritten(service.ready, values, lowering)) for service in services if service.ready
    ]


def _exports(step: Commands, lowering: Lowering) -> Iterator[Command]:
    """Yield the commands that export the variables of *step*, also those of the cases of the job, in their order."""
    env, computed = dict(step.env), lowering.job.computed_names
    for name, value in step.env:
        yield from (_chosen(name, value, lowering),) if name in computed else _exported(name, value, lowering)
    for name in computed:
        if name not in env:
            yield _chosen(name, None, lowering)


def _chosen(name: str, default: Text | None, lowering: Lowering) -> Command:
    """Return the command that exports the variable *name* with the value of the case that applies, or *default*."""
    values = ((str(number), dict(case.variables).get(name)) for number, case in enumerate(lowering.job.cases, 1))
    lines = [f'case "${{{Case.NUMBER}-}}" in']
    for pattern, value in (*values, ("*", default)):
        if value is None:
            continue
        exports = [line for command in _exported(name, value, lowering) for line in command.lines]
        if len(exports) == 1:
            lines.append(f"  {pattern}) {exports[0]} ;;")
        else:
            lines += (f"  {pattern})", *indented(indented((*exports, ";;"))))
    return Command((*lines, "esac"))


def _exported(name: str, value: Text, lowering: Lowering) -> tuple[Command, ...]:
    """Return the commands that export the variable *name*."""
    if list_variable(value, lowering) is None and (values := _line_values(value)):
        return (_join_values(name, values, lowering), Command((f"export {name}",)))
    return (Command((f"export {name}={quote(word(value, lowering, expands=True))}",)),)


def _pipes_fail(lowering: Lowering) -> bool:
    """Return whether the engine sets `pipefail` though the user does not ask for it."""
    return lowering.host.has_pipefail and lowering.job.machine.shell is not PlanShell.BASH


def _without_pipefail(first: list[Command], second: list[Command]) -> tuple[list[Command], list[Command]]:
    """Return the commands *first* and *second* with `pipefail` off from the first that may contain a pipeline.

    A script that first sets the option itself decides about the commands after that in its shell.
    """
    for commands in (first, second):
        for index, command in enumerate(commands):
            if not _depends_on_pipefail("\n".join(command.lines)):
                continue
            match command.lines:
                case ("(", line, *_) if re.fullmatch(_SET_PIPEFAIL, line):
                    continue
                case (line, *_) if re.fullmatch(_SET_PIPEFAIL, line):
                    return first, second
            off = Command(("set +o pipefail",), is_users=True)
            return (
                [*first[:index], off, *first[index:]] if commands is first else first,
                [*second[:index], off, *second[index:]] if commands is second else second,
            )
    return first, second


def _depends_on_pipefail(text: str) -> bool:
    """Return whether *text* may contain a pipeline, set `pipefail`, or begin a shell of its own that does."""
    return may_pipe(text) or "pipefail" in text or text == "("


class _Values:
    """The variables that replace references in the script of *step*; *commands* set those that are not set yet.

    Plain constants have none where they may be in the text itself. Those of a combination are in variables, which its
    matrix has, too.
    """

    def __init__(self, step: Commands, lowering: Lowering) -> None:
        self.commands: list[Command] = []
        self._step = step
        self._lowering = lowering
        self._known: dict[tuple[str | None, ...], str] = {}
        self._possibly_empty: set[tuple[str | None, ...]] = set()
        self._texts: dict[tuple[str | None, ...], Text] = {}
        self._constants: dict[tuple[str | None, ...], str] = {}

    def add(self, reference: Reference, text: Text) -> None:
        """Give *reference* the value *text*."""
        key, constant = _reference_key(reference), text.constant
        self._texts[key] = text
        if constant is not None and self._lowering.job.combination is None and is_plain(constant):
            self._constants[key] = constant

    def in_place(self, script: ParsedScript) -> ParsedScript:
        """Return *script* with plain constants in the text itself."""
        if not self._constants:
            return script
        return with_constants(script, lambda placed: self._constants.get(_reference_key(placed.reference)))

    def variable(self, placed: PlacedReference) -> str:
        """Return the variable of a reference, which is set from now on."""
        key = _reference_key(placed.reference)
        if key not in self._known:
            self._set(placed.reference, key)
        return self._known[key]

    def has_default(self, placed: PlacedReference) -> bool:
        """Return whether the variable of a reference is never empty where it has a default."""
        return _reference_key(placed.reference) not in self._possibly_empty

    def _set(self, reference: Reference, key: tuple[str | None, ...]) -> None:
        text = self._texts[key]
        known = output_variable(text, self._lowering) or list_variable(text, self._lowering)
        if known is not None:
            self._known[key] = known
            return
        shell_word = word(text, self._lowering)
        match text.parts, shell_word:
            case (Reference(),), (VariableExpansion(name=name, operator=operator),) if self._is_set(name):
                self._known[key] = name
                self._possibly_empty |= {key} if operator else set()
                return
        job = self._lowering.job
        own = job.stage if job.combination is None else job.combination.stage
        namespace = reference.namespace or own
        variable = plain(f"{namespace}_{reference.name}", self._taken, self._lowering.words)
        self._known[key] = variable
        values = _line_values(text)
        command = (
            _join_values(variable, values, self._lowering)
            if values
            else Command((f"{variable}={assigned(shell_word)}",))
        )
        self.commands.append(command)

    @cached_property
    def _taken(self) -> set[str]:
        """The variables that are set earlier, and those of these values."""
        names = self._lowering.variables
        return {
            *names.outputs.values(),
            *names.lists.values(),
            *names.setup.values(),
            *names.inputs.values(),
            *names.defaults.values(),
        }

    def _is_set(self, variable: str) -> bool:
        """Return whether a read of *variable* cannot fail: the engine's variables may be unset."""
        return variable in self._taken or not self._may_refuse_unset

    @cached_property
    def _may_refuse_unset(self) -> bool:
        """Whether the script may set `nounset`."""
        written = (part for line in self._step.lines for part in line.script.parts if isinstance(part, str))
        return any(sets_nounset(text) for text in written)


def _reference_key(reference: Reference) -> tuple[str | None, ...]:
    """Return a key for *reference*: within a script, two references with the same key are the same."""
    return reference.namespace, reference.combinations, reference.name, reference.default


def _rewritten(line: Line, values: _Values, lowering: Lowering) -> str:
    """Return the text of *line* with variables; a CRLF becomes a line break, since some engines change it."""
    for reference, text in line.values:
        values.add(reference, text)
    rewritten = rewrite(values.in_place(line.script), values.variable, lowering.variables.defaults, values.has_default)
    return rewritten.replace("\r\n", "\n").rstrip("\r\n")


def _script(lines: Sequence[str], *, in_own_shell: bool) -> list[Command]:
    """Return the user's *lines*; in their own shell, they do not change the shell of later commands."""
    if in_own_shell:
        body = (indented_line for line in lines for indented_line in indented(indentable(line)))
        return [Command(("(", *body, ")"), is_users=True)]
    return [Command(indentable(line), is_users=True) for line in lines]


def _measured(output: Measured, values: _Values, lowering: Lowering) -> Command | None:
    """Return the command that measures *output*; if nobody reads it, the command only checks that it exists."""
    is_direct = output.name in lowering.direct
    if is_direct and output.measure is not Measure.WRITTEN:
        return None
    variable = own_variable(output.name, lowering) if output.name in lowering.needed and not is_direct else None
    match output.measure:
        case Measure.COMMAND if output.command is not None and variable is not None:
            text = _rewritten(output.command, values, lowering)
            return Command((f"{variable}={_substituted(text)}",), is_users=True)
        case Measure.FILE if output.file is not None:
            path = word(output.file, lowering)
            return _from_file(path, _no_file(output, path, lowering), variable)
        case Measure.WRITTEN:
            missing = failure(lowering.job, f'output "{output.name}" was not written')
            return _from_file((_written_folder(lowering), Literal(f"/{output.name}")), missing, variable)
    return None


def _is_only_checked(output: Measured, lowering: Lowering) -> bool:
    """Return whether the script writes *output* to its file, which nothing reads in the script."""
    is_read = output.name in lowering.needed and output.name not in lowering.direct
    return output.measure is Measure.WRITTEN and not is_read


def _check_written(names: Sequence[str], lowering: Lowering) -> Command:
    """Return the command that checks that the script has written the outputs with these *names*."""
    name = VariableExpansion("pipegen_output")
    missing = failure(lowering.job, 'output "%s" was not written', (name,))
    check = otherwise(f"[ -f {quote((_written_folder(lowering), Literal('/'), name))} ]", missing)
    return Command((f"for pipegen_output in {' '.join(map(quote, names))}; do", *indented(check), "done"))


def _written_folder(lowering: Lowering) -> Literal | ShellFragment:
    """Return the folder in which the script writes outputs."""
    return Literal(_placed(lowering)) if has_placed_outputs(lowering) else ShellFragment(_OUTPUTS)


def _make_folder(lowering: Lowering) -> tuple[Command, ...]:
    """Return the commands that make the folder in which the script writes outputs."""
    is_placed = has_placed_outputs(lowering)
    folder = f"$PWD/{between_quotes(_placed(lowering))}" if is_placed else _OUTPUTS
    make = 'mkdir -p "$PIPEGEN_OUTPUTS"' if is_placed else 'mkdir "$PIPEGEN_OUTPUTS"'
    return Command((f'export PIPEGEN_OUTPUTS="{folder}"',)), Command((make,))


def _placed(lowering: Lowering) -> str:
    """Return the folder of the job's outputs in the checkout."""
    return f"{FOLDER}/outputs/{lowering.job.slug}"


def _written(output: Measured, values: _Values, lowering: Lowering) -> Command:
    """Return the command that writes *output* to its file; readers drop the line breaks at the end of a command's."""
    target = transfer_path(f"outputs/{lowering.job.slug}/{output.name}", lowering.host)
    if output.file is not None:
        return Command((f"cat {_file_argument(output.file, lowering)} >{target}",))
    text = _rewritten(output.command, values, lowering) if output.command is not None else ""
    return Command(_redirected(text, target), is_users=True)


def _file_argument(path: Text, lowering: Lowering) -> str:
    """Return *path* in the directory of the job as an argument that is never an option or standard input."""
    known, directory = path.constant, lowering.job.directory
    if known is None:
        return f"<{argument(path, lowering)}"
    return quote(operand(known if directory == "." else join(directory, known)))


def _redirected(text: str, target: str) -> tuple[str, ...]:
    """Return the lines that run the commands *text*, in their own shell where necessary, with their output in *target*.

    They stop at the first failure, and their failure ends the script.
    """
    if "#" in text or "\n" in text or text.endswith("\\"):
        # Between parentheses, a comment alone would be a syntax error.
        nothing = ("  :",) if is_comment(text) else ()
        return ("(", *nothing, *indented(indentable(text)), f") >{target}")
    if may_change_shell(text) or may_pass_failures(text) or is_open_ended(text) or may_redirect(text):
        # `((` would begin arithmetic.
        return (f"({' ' * text.startswith('(')}{text}) >{target}",)
    return (f"{text} >{target}".lstrip(),)


def _no_file(output: Measured, path: Word, lowering: Lowering) -> tuple[str, ...]:
    start, known = f'output "{output.name}": there is no file', constant(path)
    if known is not None:
        return failure(lowering.job, f'{start} "{printf_format(known)}"')
    return failure(lowering.job, f'{start} "%s"', path)


def _substituted(text: str) -> str:
    """Return the substitution of the commands *text*, which stops at the first failure."""
    # Outside POSIX mode, bash does not inherit -e in a substitution.
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
    return Command((*check, *captured(variable, f"cat <{file}")))


def _line_values(text: Text) -> tuple[Text, ...]:
    """Return the values of *text*, if it consists of two or more separated by line breaks; else nothing."""
    values, breaks = text.parts[::2], text.parts[1::2]
    if not breaks or len(values) == len(breaks):
        return ()
    if any(isinstance(value, str) for value in values) or any(separator != "\n" for separator in breaks):
        return ()
    return tuple(Text((value,), text.span) for value in values)


def _join_values(variable: str, values: tuple[Text, ...], lowering: Lowering) -> Command:
    """Return the command that sets *variable* to *values*, one per line; unlike quoted text, it can be indented."""
    words = (argument(value, lowering) for value in values)
    return Command((*wrapped((f"{variable}=$(printf '%s\\n'", *words, "&& echo .)")), f"{variable}=${{{variable}%?.}}"))
