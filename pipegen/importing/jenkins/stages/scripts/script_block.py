"""`script` blocks as commands; those with other Groovy can be commands between two parts that stay Groovy."""

from __future__ import annotations

from functools import partial
from itertools import dropwhile

from pipegen.importing.accounting import KeyOutcome
from pipegen.importing.jenkins.marks import StaysGroovyError
from pipegen.importing.jenkins.reading.source import comment_above
from pipegen.importing.jenkins.reading.syntax import GroovyBlock, GroovyCall, OtherGroovy, Statement, tried_by
from pipegen.importing.jenkins.stages.scripts.assignments import is_text, read_assignment, reassigned
from pipegen.importing.jenkins.stages.scripts.conditionals import read_conditional
from pipegen.importing.jenkins.stages.scripts.parts import ScriptDivision, changing_names, is_divisible
from pipegen.importing.jenkins.stages.steps import SourceStepContext, StepReader
from pipegen.importing.jenkins.stages.work import StageWork
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.structs import replace

# How many divisions of a block are tried.
_MOST_DIVISIONS = 3


def script(reader: StepReader, call: GroovyCall, context: SourceStepContext) -> None:
    """Read `script`: steps, conditions of steps, and values of names."""
    block = call.block
    if block is None or all(map(_defines, block.statements)):
        raise UntranslatableError("it contains Groovy")
    names = reader.names
    reader.marks.all(call)
    reader.names = replace(names, changing=reassigned(block))
    reader.read_groovy = _read_statement
    reason = reader.attempt(lambda: _read_whole(reader, block, context))
    if reason is not None:
        _read_divided(reader, block, context, reason)
        reader.marks.all(replace(call, block=None), KeyOutcome.RAW)
    reader.names = replace(names, values=reader.names.values)


def _read_whole(reader: StepReader, block: GroovyBlock, context: SourceStepContext) -> None:
    statements = tuple(dropwhile(_defines_text, block.statements))
    for statement in block.statements[: -len(statements)]:
        read_assignment(reader, statement, context)
    if all(isinstance(statement, GroovyCall) or tried_by(statement) is not None for statement in statements):
        reader.read(replace(block, statements=statements), context)
        return
    for statement in statements:
        _read_statement(reader, block, statement, context)


def _read_statement(reader: StepReader, block: GroovyBlock, statement: Statement, context: SourceStepContext) -> None:
    context = replace(context, is_whole=False, is_in_block=True)
    if isinstance(statement, OtherGroovy) and statement.conditional is not None:
        read_conditional(reader, statement.conditional, context, _read_statement, comment_above(statement.span))
    elif isinstance(statement, GroovyCall):
        reader.read(replace(block, statements=(statement,)), context)
    else:
        read_assignment(reader, statement, context)


def _read_divided(reader: StepReader, block: GroovyBlock, context: SourceStepContext, reason: str) -> None:
    """Read the statements of *block* that are commands, and keep those before and after them, because of *reason*."""
    if not context.is_nested and is_divisible(block):
        for division in _divisions(reader, block, context)[:_MOST_DIVISIONS]:
            if reader.attempt(partial(_read_parts, reader, division, context, reason)) is None:
                return
    raise StaysGroovyError(reason)


def _divisions(reader: StepReader, block: GroovyBlock, context: SourceStepContext) -> list[ScriptDivision]:
    """Return the divisions of *block* around commands that follow each other, the one with the most of them first."""
    divisions: list[tuple[int, ScriptDivision]] = []
    changing = changing_names(block)

    def read() -> None:
        start, before = 0, _size(reader.work)
        for at, statement in enumerate((*block.statements, None)):
            if statement is not None:
                reason = reader.attempt(partial(_read_statement, reader, block, statement, context))
                if reason is None:
                    continue
            if _size(reader.work) > before:
                division = ScriptDivision(block=block, start=start, end=at, changing=changing)
                divisions.append((_size(reader.work) - before, division))
            start, before = at + 1, _size(reader.work)
        raise StaysGroovyError("")

    reader.attempt(read)
    return [division for _, division in sorted(divisions, key=lambda pair: -pair[0])]


def _size(work: StageWork) -> int:
    """Return the number of commands of *work* that do more than write to the log."""
    return sum(not command.is_message for command in (*work.commands, *work.after))


def _read_parts(reader: StepReader, division: ScriptDivision, context: SourceStepContext, reason: str) -> None:
    block = division.block
    if division.is_connected:
        raise StaysGroovyError(reason)
    _keep(reader, division, context, reason, is_before=True)
    for statement in division.definitions_before:
        read_assignment(reader, statement, context)
    for statement in block.statements[division.start : division.end]:
        _read_statement(reader, block, statement, context)
    _keep(reader, division, context, reason, is_before=False)


def _keep(
    reader: StepReader, division: ScriptDivision, context: SourceStepContext, reason: str, *, is_before: bool
) -> None:
    part, defined = division.part(is_before=is_before)
    if part is not None:
        reader.keep_part(part, defined, context, reason)


def _defines(statement: Statement) -> bool:
    return isinstance(statement, OtherGroovy) and statement.definition is not None


def _defines_text(statement: Statement) -> bool:
    definition = statement.definition if isinstance(statement, OtherGroovy) else None
    return definition is not None and is_text(definition.value)
