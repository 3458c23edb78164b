"""Parameters of a run, read and checked first: no engine checks the values from every way to start a run."""

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
    """Yield the commands that set and check the inputs that the job uses; an invalid value fails the job."""
    inputs = {declared.name: declared for declared in lowering.plan.inputs}
    for name, variable in lowering.variables.inputs.items():
        value = assigned(shell_text(lowering.host.input(name)))
        declared = inputs[name]
        may_be_empty = declared.default is None and name in lowering.optional
        lines = _checks(declared, (VariableExpansion(variable),), lowering, may_be_empty=may_be_empty)
        yield Command((f"{variable}={value}", *lines))


def unchecked(inputs: Iterable[Input]) -> tuple[Input, ...]:
    """Return *inputs* as unrestricted texts, for scripts that only print a value."""
    return tuple(
        replace(declared, type=InputType.STRING, default=declared.default or "", choices=(), pattern=None)
        for declared in inputs
    )


def _checks(declared: Input, value: Word, lowering: Lowering, *, may_be_empty: bool) -> Iterator[str]:
    """Yield the lines that check *value* against the input *declared*."""
    if declared.default is None and not may_be_empty:
        yield from otherwise(f"[ -n {quote(value)} ]", failure(lowering.job, f'input "{declared.name}" is not given'))
    if declared.words:
        failure_lines = _refusal(f"is none of {', '.join(declared.words)}", declared, value, lowering)
        yield from _check_choice((*declared.words, *([""] if may_be_empty else [])), value, failure_lines)
        return
    start = f"[ -z {quote(value)} ] || " if may_be_empty else ""
    if declared.type is InputType.NUMBER:
        yield from otherwise(start + _match_command(NUMBER, value), _refusal("is no number", declared, value, lowering))
    if declared.pattern is not None:
        failure_lines = _refusal(f"does not match {declared.pattern}", declared, value, lowering)
        yield from otherwise(start + _match_command(declared.pattern, value), failure_lines)


def _check_choice(choices: tuple[str, ...], value: Word, failure_lines: tuple[str, ...]) -> Iterator[str]:
    yield f"case {quote(value)} in"
    yield f"  {' | '.join(quote(choice) if choice else single_quoted('') for choice in choices)}) ;;"
    yield "  *)"
    yield from indented(indented(failure_lines))
    yield "    ;;"
    yield "esac"


def _match_command(pattern: str, value: Word) -> str:
    """Return the command that succeeds if all of *value* matches; a line break is an ordinary character."""
    return f"{{ printf %s {quote(value)} | tr '\\n' '\\1'; echo; }} | LC_ALL=C grep -Eqx {_pattern_argument(pattern)}"


def _pattern_argument(pattern: str) -> str:
    return f"-e {quote(pattern)}" if pattern.startswith("-") else quote(pattern)


def _refusal(reason: str, declared: Input, value: Word, lowering: Lowering) -> tuple[str, ...]:
    return failure(lowering.job, f'input "{declared.name}" {printf_format(reason)}: "%s"', value)
