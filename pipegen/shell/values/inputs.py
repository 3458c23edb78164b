"""Parameters of a run, checked first: few engines check the values from every way to start a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pipegen.plan.model import Input, InputType
from pipegen.plan.model.inputs import NUMBER
from pipegen.shell.command import Command
from pipegen.shell.host import ShellEnvironment
from pipegen.shell.layout import otherwise
from pipegen.shell.lowering import Lowering
from pipegen.shell.names import JobWords
from pipegen.shell.quote import (
    Literal,
    VariableExpansion,
    Word,
    assigned,
    between_quotes,
    quote,
    shell_text,
    single_quoted,
)
from pipegen.shell.uses import Uses
from pipegen.shell.words.shell_effects import sets_nounset
from pipegen.structs import replace


def read_inputs(lowering: Lowering) -> Iterator[Command]:
    """Yield the commands that set and check the inputs that the job uses; an invalid value fails the job."""
    # In the order of the config, so that several scripts begin alike.
    for declared in lowering.plan.inputs:
        variable = lowering.variables.inputs.get(declared.name)
        if variable is None:
            continue
        word = shell_text(lowering.host.input(declared.name))
        lines = [f"{variable}={assigned(word)}"] if word != (VariableExpansion(variable),) else []
        may_be_empty = declared.default is None and declared.name in lowering.optional
        if lowering.host.checks_inputs:
            lines += _checks(declared, (VariableExpansion(variable),), lowering, may_be_empty=may_be_empty)
        if lines:
            yield Command(tuple(lines))


def engine_variables(used: Uses, host: ShellEnvironment, words: JobWords) -> dict[str, str]:
    """Return the engine's own variables of those inputs that a script with *words* can read in place.

    It must not set them, and not refuse an unset variable: engines drop some that are empty.
    """
    variables: dict[str, str] = {}
    for name in used.inputs:
        match shell_text(host.input(name)):
            case (VariableExpansion(name=variable, operator=""),) if variable not in words:
                variables[name] = variable
    return {} if variables and sets_nounset(words.text) else variables


def unchecked(inputs: Iterable[Input]) -> tuple[Input, ...]:
    """Return *inputs* as unrestricted texts, for scripts that only print a value."""
    return tuple(
        replace(declared, type=InputType.STRING, default=declared.default or "", choices=(), pattern=None)
        for declared in inputs
    )


def _checks(declared: Input, value: Word, lowering: Lowering, *, may_be_empty: bool) -> Iterator[str]:
    """Yield the lines that check *value* against the input *declared*."""
    checks_more = lowering.host.checks_choices or not declared.words
    if declared.default is None and not may_be_empty and (declared.accepts("") or not checks_more):
        yield f"[ -n {quote(value)} ] || {{ echo 'input {declared.name} has no value' >&2; exit 1; }}"
    if declared.words:
        if checks_more:
            yield from _check_choice(declared, value, may_be_empty=may_be_empty)
        return
    start = f"[ -z {quote(value)} ] || " if may_be_empty else ""
    if declared.type is InputType.NUMBER:
        yield from otherwise(start + _match_command(NUMBER, value), _refusal("is not a number", declared, value))
    if declared.pattern is not None:
        failure_lines = _refusal(f"does not match {declared.pattern}", declared, value)
        yield from otherwise(start + _match_command(declared.pattern, value), failure_lines)


def _check_choice(declared: Input, value: Word, *, may_be_empty: bool) -> Iterator[str]:
    choices = (*declared.words, *([""] if may_be_empty else []))
    yield f"case {between_quotes(value)} in"
    yield f"  {' | '.join(quote(choice) if choice else single_quoted('') for choice in choices)}) ;;"
    refusal = _refusal(f"is not one of {', '.join(declared.words)}", declared, value)
    yield f"  *) {'; '.join(refusal)} ;;"
    yield "esac"


def _match_command(pattern: str, value: Word) -> str:
    """Return the command that succeeds if all of *value* matches; a line break is an ordinary character."""
    return f"{{ printf %s {quote(value)} | tr '\\n' '\\1'; echo; }} | LC_ALL=C grep -Eqx {_pattern_argument(pattern)}"


def _pattern_argument(pattern: str) -> str:
    return f"-e {quote(pattern)}" if pattern.startswith("-") else quote(pattern)


def _refusal(reason: str, declared: Input, value: Word) -> tuple[str, ...]:
    message = f"input {declared.name} {reason}: ".replace("\n", "\\n")
    return (f"echo {quote((Literal(message), *value))} >&2", "exit 1")
