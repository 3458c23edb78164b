"""Parameters of a run, read and checked before anything else: no engine checks what every way in can pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pipegen.plan.model import Input, InputType
from pipegen.plan.model.inputs import NUMBER
from pipegen.shell.command import Command
from pipegen.shell.layout import failure, indented, otherwise
from pipegen.shell.lowering import Lowering
from pipegen.shell.quote import VariableExpansion, Word, assigned, printf_format, quote, shell_text, single_quoted
from pipegen.structs import replace


def read_inputs(lowering: Lowering) -> Iterator[Command]:
    """Yield the commands that set the variables of the inputs that the job uses; a value that is none ends the job."""
    known = {one.name: one for one in lowering.plan.inputs}
    for name, variable in lowering.variables.inputs.items():
        value = assigned(shell_text(lowering.host.input(name)))
        one = known[name]
        may_be_empty = one.default is None and name in lowering.optional
        lines = _checks(one, (VariableExpansion(variable),), lowering, may_be_empty=may_be_empty)
        yield Command((f"{variable}={value}", *lines))


def unchecked(inputs: Iterable[Input]) -> tuple[Input, ...]:
    """Return *inputs* as texts that may be anything, for scripts that tell of a value and do nothing by it."""
    return tuple(
        replace(one, type=InputType.STRING, default=one.default or "", choices=(), pattern=None) for one in inputs
    )


def _checks(one: Input, value: Word, lowering: Lowering, *, may_be_empty: bool) -> Iterator[str]:
    """Yield the lines that hold *value* against what the input *one* takes."""
    if one.default is None and not may_be_empty:
        yield from otherwise(f"[ -n {quote(value)} ]", failure(lowering.job, f'input "{one.name}" is not given'))
    if one.words:
        refused = _refused(f"is none of {', '.join(one.words)}", one, value, lowering)
        yield from _among((*one.words, *([""] if may_be_empty else [])), value, refused)
        return
    start = f"[ -z {quote(value)} ] || " if may_be_empty else ""
    if one.type is InputType.NUMBER:
        yield from otherwise(start + _matches(NUMBER, value), _refused("is no number", one, value, lowering))
    if one.pattern is not None:
        refused = _refused(f"does not match {one.pattern}", one, value, lowering)
        yield from otherwise(start + _matches(one.pattern, value), refused)


def _among(choices: tuple[str, ...], value: Word, refused: tuple[str, ...]) -> Iterator[str]:
    yield f"case {quote(value)} in"
    yield f"  {' | '.join(quote(choice) if choice else single_quoted('') for choice in choices)}) ;;"
    yield "  *)"
    yield from indented(indented(refused))
    yield "    ;;"
    yield "esac"


def _matches(pattern: str, value: Word) -> str:
    """Return the command that tells whether all of *value* matches: a line break is a character like others."""
    return f"{{ printf %s {quote(value)} | tr '\\n' '\\1'; echo; }} | LC_ALL=C grep -Eqx {_argument(pattern)}"


def _argument(pattern: str) -> str:
    return f"-e {quote(pattern)}" if pattern.startswith("-") else quote(pattern)


def _refused(told: str, one: Input, value: Word, lowering: Lowering) -> tuple[str, ...]:
    return failure(lowering.job, f'input "{one.name}" {printf_format(told)}: "%s"', value)
