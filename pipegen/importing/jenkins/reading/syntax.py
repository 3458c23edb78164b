"""The statements and values of a Jenkinsfile: calls with arguments and blocks; other Groovy stays text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from pipegen.source.text import Span
from pipegen.structs import Struct


class GroovyPart(Struct):
    """An expression of Groovy, as text."""

    text: str


class GroovyChoice(GroovyPart):
    """`condition ? first : other`, or `first ?: other`, whose condition is *first*; *condition* is text."""

    condition: str
    first: Value
    other: Value


class GroovyText(Struct):
    """A text; a part that is `Code` is a run-time value."""

    parts: tuple[str | GroovyPart, ...]

    @property
    def constant(self) -> str | None:
        """The text; None if a part is a run-time value."""
        return "".join(map(str, self.parts)) if all(isinstance(part, str) for part in self.parts) else None


class GroovyConstant(Struct):
    """A number, a boolean or null."""

    value: int | float | bool | None


class GroovyTrimmed(Struct):
    """The text that *call* returns, without the blanks around it: `call(…).trim()`."""

    call: GroovyCall


class GroovyList(Struct):
    """A list."""

    items: tuple[Value, ...]


class GroovyMap(Struct):
    """A map."""

    entries: tuple[GroovyArgument, ...]


class GroovyArgument(Struct):
    """An argument of a call or an entry of a map; *name* is "" for one without a name."""

    name: str
    value: Value
    span: Span


class GroovyBlock(Struct):
    """The statements in braces; *index* is the token of the opening brace."""

    statements: tuple[Statement, ...]
    index: int
    span: Span


class GroovyCall(Struct, kw_only=True):
    """A call of a step, directive or function; *span* is that of its name, *whole* that of all of it."""

    name: str
    arguments: tuple[GroovyArgument, ...]
    block: GroovyBlock | None
    span: Span
    whole: Span

    def argument(self, *names: str) -> GroovyArgument | None:
        """Return the first argument with one of *names*; "" is the one without a name."""
        return next((argument for name in names for argument in self.arguments if argument.name == name), None)


class GroovyAssignment(Struct, kw_only=True):
    """`name = value`; *span* is that of the name, *whole* that of all of it."""

    name: str
    value: Value
    span: Span
    whole: Span


class GroovyConditional(Struct):
    """An `if` with the text of its *condition*, its *block*, and that of its `else`, which another `if` may follow."""

    condition: str
    block: GroovyBlock
    otherwise: GroovyBlock | None


class GroovyTry(Struct):
    """A `try` that keeps the failure of its *block*: *failing* are the statements of its `catch` before the `throw`.

    *error* is the name of the failure there. *ending* is the block of its `finally`.
    """

    block: GroovyBlock
    failing: GroovyBlock | None
    error: str
    ending: GroovyBlock | None

    @property
    def blocks(self) -> tuple[GroovyBlock, ...]:
        """Its blocks."""
        return tuple(block for block in (self.block, self.failing, self.ending) if block is not None)


class OtherGroovy(Struct):
    """A statement of Groovy that is not a call of a step.

    *definition* is what `def name = value` assigns, *variable* what `env.name = value` does, *conditional* an `if`,
    *tried* a `try` that keeps a failure.
    """

    span: Span
    definition: GroovyAssignment | None = None
    variable: GroovyAssignment | None = None
    conditional: GroovyConditional | None = None
    tried: GroovyTry | None = None

    @property
    def blocks(self) -> tuple[GroovyBlock, ...]:
        """The blocks of its `if` or `try`."""
        blocks = (self.conditional.block, self.conditional.otherwise) if self.conditional is not None else ()
        tried = self.tried.blocks if self.tried is not None else ()
        return (*(block for block in blocks if block is not None), *tried)


Value: TypeAlias = (
    "GroovyText | GroovyPart | GroovyConstant | GroovyList | GroovyMap | GroovyCall | GroovyTrimmed | GroovyBlock"
)
Statement: TypeAlias = "GroovyCall | GroovyAssignment | OtherGroovy"


def tried_by(statement: Statement) -> GroovyTry | None:
    """Return the `try` that *statement* is, None if it is not one."""
    return statement.tried if isinstance(statement, OtherGroovy) else None


def main_block(statement: Statement) -> GroovyBlock | None:
    """Return the block of a call, or that of a `try` without what follows it; None if *statement* has none."""
    tried = tried_by(statement)
    return statement.block if isinstance(statement, GroovyCall) else tried.block if tried is not None else None


def constant(value: Value | None) -> str | None:
    """Return the text of a constant as Groovy prints it; None for another value."""
    match value:
        case GroovyText():
            return value.constant
        case GroovyConstant() if isinstance(value.value, bool):
            return "true" if value.value else "false"
        case GroovyConstant():
            return "null" if value.value is None else str(value.value)
    return None


def calls(value: Value | None) -> tuple[GroovyCall, ...]:
    """Return the calls in the list *value*, or the single one."""
    values = value.items if isinstance(value, GroovyList) else (value,)
    return tuple(call for call in values if isinstance(call, GroovyCall))


def all_calls(call: GroovyCall) -> Iterator[GroovyCall]:
    """Yield the calls at any depth in the block of *call*."""
    yield from calls_in(call.block) if call.block is not None else ()


def calls_in(block: GroovyBlock) -> Iterator[GroovyCall]:
    """Yield the calls at any depth in *block*, also those in a `try`."""
    for statement in block.statements:
        if isinstance(statement, GroovyCall):
            yield statement
            yield from all_calls(statement)
        elif (tried := tried_by(statement)) is not None:
            for inner in tried.blocks:
                yield from calls_in(inner)


def texts(value: Value | None) -> tuple[str, ...] | None:
    """Return the constant texts of a list, or of a single value; None if one is not constant."""
    values = value.items if isinstance(value, GroovyList) else (value,)
    constants = tuple(constant(member) for member in values)
    return None if None in constants else tuple(text for text in constants if text is not None)
