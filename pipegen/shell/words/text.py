"""A user's text as a word for sh."""

from __future__ import annotations

from collections.abc import Iterator

from pipegen.bindings.expression import Bare, Defaulted, Part, Reference, Scope, Text
from pipegen.plan.model import Output
from pipegen.plan.model.steps import declares, is_variable_name
from pipegen.shell.images import local_name
from pipegen.shell.lowering import Lowering
from pipegen.shell.names import container_name, release_name
from pipegen.shell.quote import (
    Literal,
    ShellFragment,
    VariableExpansion,
    Word,
    assigned,
    quote,
    shell_text,
)
from pipegen.shell.uses import is_plain, outputs_of_lines

# Names that steps bind, without a variable.
_UNBOUND_NAMES = frozenset(("imageLocalName", "container", "releaseName"))


def word(text: Text, lowering: Lowering, *, expands: bool = False) -> Word:
    """Return *text* as a word; with *expands*, the shell expands a `${NAME}` that no reference binds."""
    if (variable := list_variable(text, lowering)) is not None:
        return (VariableExpansion(variable),)
    if len(text.parts) == 1:
        return _part(text.parts[0], lowering, expands=expands)
    return tuple([fragment for part in text.parts for fragment in _part(part, lowering, expands=expands)])


def list_variable(text: Text, lowering: Lowering) -> str | None:
    """Return the variable of *text* if it consists of outputs that the script reads as one value, else None."""
    return lowering.variables.lists.get(outputs_of_lines(text)) if lowering.variables.lists else None


def argument(text: Text, lowering: Lowering) -> str:
    """Return *text* as one word of a command."""
    return quote(word(text, lowering))


def assignment(variable: str, text: Text, lowering: Lowering) -> str:
    """Return the command that sets *variable* to *text*."""
    return f"{variable}={assigned(word(text, lowering))}"


def setup_word(name: str, lowering: Lowering) -> Word:
    """Return the setup value *name*: itself if it is simple, else the variable that holds it."""
    host_word = shell_text(lowering.host.setup(name) or "")
    if any(isinstance(fragment, ShellFragment) for fragment in host_word):
        return (VariableExpansion(lowering.variables.setup[name]),)
    return host_word


def set_variables(lowering: Lowering) -> set[str]:
    """Return the variables that hold values: all but those of setup values that are read in place."""
    variables = lowering.variables
    setup = {
        variable
        for name, variable in variables.setup.items()
        if setup_word(name, lowering) == (VariableExpansion(variable),)
    }
    statuses = {
        variable
        for stage, variable in variables.statuses.items()
        if status_word(stage, lowering) == (VariableExpansion(variable),)
    }
    return setup.union(
        statuses,
        *(names.values() for names in (variables.outputs, variables.defaults, variables.inputs)),
        variables.lists.values(),
    )


def status_word(stage: str, lowering: Lowering) -> Word:
    """Return the status of *stage* ("" is the pipeline): in place if the script cannot set its variable."""
    host_word = shell_text(lowering.host.status(lowering.producers[stage].slug if stage else ""))
    match host_word:
        case (VariableExpansion(name, operator=""),) if lowering.words is not None and name not in lowering.words:
            return host_word
    return (VariableExpansion(lowering.variables.statuses[stage]),)


def _part(part: Part, lowering: Lowering, *, expands: bool) -> Word:
    match part:
        case str():
            return (Literal(part),)
        case Bare():
            is_variable = expands and is_variable_name(part.name) and part.source == f"${{{part.name}}}"
            return (VariableExpansion(part.name),) if is_variable else (Literal(part.source),)
        case Reference():
            value = _reference(part, lowering)
            may_be_empty = part.default and not _is_checked_input(part, lowering)
            return _or_default(value, part.default or "", lowering) if may_be_empty else value
        case Defaulted():
            return _or_default(word(part.text, lowering, expands=expands), part.default, lowering)


def _reference(reference: Reference, lowering: Lowering) -> Word:
    match reference.scope:
        case Scope.STAGE:
            return (VariableExpansion(lowering.variables.outputs[Output(reference.namespace or "", reference.name)]),)
        case Scope.LOOP:
            return (VariableExpansion(lowering.loops[reference.name]),)
        case Scope.SETUP:
            return setup_word(reference.name, lowering)
        case Scope.INPUT:
            return (VariableExpansion(lowering.variables.inputs[reference.name]),)
        case Scope.STATUS:
            return status_word(reference.namespace or "", lowering)
        case Scope.OWN:
            return _own_value(reference.name, lowering)
        case Scope.UNRESOLVED:
            raise ValueError(f"{reference} is not resolved")


def output_variable(text: Text, lowering: Lowering) -> str | None:
    """Return the variable of *text* if it consists of one output of another stage, else None."""
    part = text.parts[0] if len(text.parts) == 1 else None
    if type(part) is not Reference or part.scope is not Scope.STAGE or part.default:
        return None
    return lowering.variables.outputs[Output(part.namespace or "", part.name)]


def _own_value(name: str, lowering: Lowering) -> Word:
    """Return the value that the job itself binds to *name*."""
    if _has_variable(name, lowering):
        return (VariableExpansion(own_variable(name, lowering)),)
    match name:
        case "imageLocalName":
            return local_name(lowering)
        case "container":
            return container_name(lowering.job, lowering.host)
    return release_name(lowering.job, lowering.host)


def own_argument(name: str, lowering: Lowering) -> str:
    """Return the value that the job itself binds to *name*, as one word of a command."""
    return f'"${own_variable(name, lowering)}"' if _has_variable(name, lowering) else quote(_own_value(name, lowering))


def _has_variable(name: str, lowering: Lowering) -> bool:
    return name not in _UNBOUND_NAMES or declares(lowering.job.steps, name)


def own_variable(name: str, lowering: Lowering) -> str:
    """Return the variable of the job's own *name*."""
    return lowering.variables.outputs[Output(lowering.job.stage, name)]


def _or_default(value: Word, default: str, lowering: Lowering) -> Word:
    """Return *value*, or *default* where it is empty at run time."""
    if not default:
        return value
    variable = lowering.variables.defaults.get(default)
    fallback: Word = (VariableExpansion(variable),) if variable and not is_plain(default) else (Literal(default),)
    if any(not _may_be_empty(fragment) for fragment in value):
        return value
    return tuple(_first_or(tuple(value), fallback))


def _is_checked_input(reference: Reference, lowering: Lowering) -> bool:
    """Return whether *reference* is to an input that the script checks, and that must not be empty."""
    if reference.scope is not Scope.INPUT or not lowering.host.checks_inputs:
        return False
    declared = lowering.plan.input(reference.name)
    return declared.default is not None and not declared.accepts("")


def _may_be_empty(fragment: object) -> bool:
    match fragment:
        case Literal():
            return not fragment.text
        case VariableExpansion(operator=":-"):
            return all(_may_be_empty(inner) for inner in fragment.operand)
        case VariableExpansion():
            return True
    return False


def _first_or(value: Word, fallback: Word) -> Iterator[VariableExpansion | Literal | ShellFragment]:
    """Yield expansions that result in *value*, or in *fallback* where all of it is empty."""
    if not value:
        yield from fallback
        return
    first, rest = value[0], value[1:]
    name = first.name if isinstance(first, VariableExpansion) else ""
    yield VariableExpansion(name, ":-", tuple(_first_or(rest, fallback)))
    if rest:
        yield VariableExpansion(name, ":+", rest)
