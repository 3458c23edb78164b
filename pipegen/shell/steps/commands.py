"""The user's own script."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pipegen.bindings.expression import Reference, Text
from pipegen.bindings.script import Placed, Script
from pipegen.plan.model import Commands, Line, Measure, Measured
from pipegen.shell.command import Command
from pipegen.shell.layout import failure, indented, otherwise
from pipegen.shell.lowering import Lowering
from pipegen.shell.names import free
from pipegen.shell.quote import Literal, Shell, Variable, Word, assigned, quote
from pipegen.shell.rewrite import rewrite
from pipegen.shell.text import own_variable, word

_OUTPUTS = "$pipegen/outputs"
# What changes or leaves the shell that our own lines run in afterwards.
_LEAVES = re.compile(
    r"(?m)(?:^|[\s;&|(){}!`])(?:cd|pushd|popd|exit|exec|set|shopt|trap|\.|source|eval|return|unset|readonly|umask|ulimit)"
    r"(?:$|[\s;&|)}`])|(?:^|[\s;&|(){}])IFS="
)
_PIPE = re.compile(r"(?<!\|)\|(?!\|)")


def commands(step: Commands, lowering: Lowering, *, is_last: bool) -> Iterator[Command]:
    """Yield the commands of *step*; *is_last* says that no command follows the script in its shell."""
    values = _Values(lowering)
    lines = [_rewritten(line, values, lowering) for line in step.lines]
    measures = [_measured(output, values, lowering) for output in step.outputs]
    yield from values.commands
    for name, value in step.env:
        yield Command((f"export {name}={quote(word(value, lowering, expands=True))}",))
    if any(output.measure is Measure.WRITTEN for output in step.outputs):
        yield Command((f'export PIPEGEN_OUTPUTS="{_OUTPUTS}"', 'mkdir "$PIPEGEN_OUTPUTS"'))
    if lowering.host.has_pipefail and any(_PIPE.search(text) for text in lines):
        yield Command(
            ("case $(set -o) in *pipefail*) set +o pipefail ;; esac",), "a pipeline's status is its last command's"
        )
    yield from _script(lines, alone=not is_last or bool(any(measures)))
    for measured in measures:
        yield from measured


class _Values:
    """The variables that stand for references in a script; *commands* set those that need it."""

    def __init__(self, lowering: Lowering) -> None:
        self.commands: list[Command] = []
        self._lowering = lowering
        names = lowering.variables
        self._taken = {*names.outputs.values(), *names.setup.values(), *names.defaults.values()}
        self._known: dict[Reference, str] = {}

    def add(self, reference: Reference, text: Text) -> None:
        """Give *reference*, which comes to *text*, a variable."""
        if reference in self._known:
            return
        found = word(text, self._lowering)
        first = found[0] if len(found) == 1 else None
        if text.reference is not None and isinstance(first, Variable):
            self._known[reference] = first.name
            return
        namespace = reference.namespace or self._lowering.job.stage
        variable = free(f"pipegen_{namespace}_{reference.name}", self._taken)
        self._known[reference] = variable
        self.commands.append(Command((f"{variable}={assigned(found)}",)))

    def variable(self, placed: Placed) -> str:
        """Return the variable of a reference."""
        return self._known[placed.reference]


def _rewritten(line: Line, values: _Values, lowering: Lowering) -> str:
    for reference, text in line.values:
        values.add(reference, text)
    return _text(line.script, values, lowering)


def _text(script: Script, values: _Values, lowering: Lowering) -> str:
    return rewrite(script, values.variable, lowering.variables.defaults).rstrip("\n")


def _script(lines: Sequence[str], *, alone: bool) -> Iterator[Command]:
    """Yield the user's *lines*; *alone*, in a shell of their own when they change or leave the shell."""
    if alone and any(_LEAVES.search(line) for line in lines):
        yield Command(("(", *(one for line in lines for one in indented(_lines(line))), ")"))
        return
    for line in lines:
        yield Command(_lines(line))


def _lines(text: str) -> tuple[str, ...]:
    """Return *text* in lines that may be indented; in one piece where a quote or a document may span lines."""
    lines = text.split("\n")
    if "<<" in text or any(_is_open(line) for line in lines):
        return (text,)
    return tuple(lines)


def _is_open(line: str) -> bool:
    """Return whether a quote may go on behind *line*; a backslash at its end may be one within quotes."""
    bare = line.replace("\\\\", "").replace("\\'", "").replace('\\"', "")
    return bool(bare.count("'") % 2 or bare.count('"') % 2 or bare.count("`") % 2 or bare.endswith("\\"))


def _measured(output: Measured, values: _Values, lowering: Lowering) -> tuple[Command, ...]:
    """Return the commands that measure *output*: nothing where nobody reads it, but that it was written."""
    variable = own_variable(output.name, lowering) if output.name in lowering.needed else None
    match output.measure:
        case Measure.COMMAND if output.command is not None and variable is not None:
            text = _rewritten(output.command, values, lowering)
            is_plain = "#" not in text and "\n" not in text
            return (Command((f"{variable}=$({text})",) if is_plain else (f"{variable}=$(\n{text}\n)",)),)
        case Measure.FILE if output.file is not None:
            return _from_file(output, _path(word(output.file, lowering)), variable, lowering)
        case Measure.WRITTEN:
            return _from_file(output, (Shell(f"{_OUTPUTS}/"), Literal(output.name)), variable, lowering)
    return ()


def _from_file(output: Measured, path: Word, variable: str | None, lowering: Lowering) -> tuple[Command, ...]:
    file = quote(path)
    what = "was not written" if output.measure is Measure.WRITTEN else "has no file"
    check = otherwise(f"[ -f {file} ]", failure(lowering.job, f'output "{output.name}" {what}'))
    if variable is None:
        return (Command(check),)
    return (Command((*check, f"{variable}=$(cat {file} && echo .)", f"{variable}=${{{variable}%.}}")),)


def _path(path: Word) -> Word:
    """Return *path* so that no program takes it for an option."""
    first = path[0] if path else Literal("")
    return path if isinstance(first, Literal) and first.text[:1] not in ("-", "") else (Literal("./"), *path)
