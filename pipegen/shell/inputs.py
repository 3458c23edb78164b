"""Parameters of a run, read and checked before anything else: no engine checks what every way in can pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from pipegen.plan.model import Input, InputType
from pipegen.plan.model.inputs import BOOLEANS, NUMBER
from pipegen.shell.command import Command
from pipegen.shell.layout import failure, indented, otherwise
from pipegen.shell.lowering import Lowering
from pipegen.shell.quote import Variable, Word, assigned, printf_format, quote, shell_text, single_quoted


def read_inputs(lowering: Lowering) -> Iterator[Command]:
    """Yield the commands that set the variables of the inputs that the job uses; a value that is none ends the job."""
    known = {one.name: one for one in lowering.plan.inputs}
    for name, variable in lowering.variables.inputs.items():
        value = assigned(shell_text(lowering.host.input(name)))
        yield Command((f"{variable}={value}", *_checks(known[name], variable, lowering)))


def unchecked(inputs: Iterable[Input]) -> tuple[Input, ...]:
    """Return *inputs* as texts that may be anything, for scripts that tell of a value and do nothing by it."""
    return tuple(
        replace(one, type=InputType.STRING, default=one.default or "", choices=(), pattern=None) for one in inputs
    )


def _checks(one: Input, variable: str, lowering: Lowering) -> Iterator[str]:
    """Yield the lines that hold the value of *variable* against what the input *one* takes."""
    value: Word = (Variable(variable),)
    if one.default is None:
        yield from otherwise(f"[ -n {quote(value)} ]", failure(lowering.job, f'input "{one.name}" is not given'))
    if one.choices:
        yield from _among(one.choices, one, value, lowering)
        return
    if one.type is InputType.BOOLEAN:
        yield from _among(BOOLEANS, one, value, lowering)
    if one.type is InputType.NUMBER:
        yield from _matching(NUMBER, "is no number", one, value, lowering)
    if one.pattern is not None:
        yield from _matching(one.pattern, f"does not match {one.pattern}", one, value, lowering)


def _among(choices: tuple[str, ...], one: Input, value: Word, lowering: Lowering) -> Iterator[str]:
    told = f"is none of {', '.join(choices)}"
    yield f"case {quote(value)} in"
    yield f"  {' | '.join(quote(choice) if choice else single_quoted('') for choice in choices)}) ;;"
    yield "  *)"
    yield from indented(indented(_refused(told, one, value, lowering)))
    yield "    ;;"
    yield "esac"


def _matching(pattern: str, told: str, one: Input, value: Word, lowering: Lowering) -> Iterator[str]:
    # A line break becomes a character that is in no pattern, so that all lines count as one.
    line = f"{{ printf %s {quote(value)} | tr '\\n' '\\1'; echo; }} | LC_ALL=C grep -Eqx {_argument(pattern)}"
    yield from otherwise(line, _refused(told, one, value, lowering))


def _argument(pattern: str) -> str:
    return f"-e {quote(pattern)}" if pattern.startswith("-") else quote(pattern)


def _refused(told: str, one: Input, value: Word, lowering: Lowering) -> tuple[str, ...]:
    return failure(lowering.job, f'input "{one.name}" {printf_format(told)}: "%s"', value)
