"""Statements of a `script` block that give a name a value: texts, and what commands print."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipegen.importing.jenkins.reading.source import comment_above
from pipegen.importing.jenkins.reading.statements import GroovyReader
from pipegen.importing.jenkins.reading.syntax import (
    GroovyAssignment,
    GroovyBlock,
    GroovyCall,
    GroovyChoice,
    GroovyPart,
    GroovyText,
    GroovyTrimmed,
    OtherGroovy,
    Statement,
    Value,
    constant,
)
from pipegen.importing.jenkins.stages.commands import build_image, printing
from pipegen.importing.jenkins.stages.scripts.conditionals import shell_test
from pipegen.importing.jenkins.stages.shell import ScriptCommand, command_of, tested
from pipegen.importing.jenkins.stages.steps import SourceStepContext, StepReader
from pipegen.importing.jenkins.stages.texts import JenkinsNames, ShellVariable, is_interpreted, shown
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.readback.groovy import GroovyTokens
from pipegen.source.text import SourceFile
from pipegen.structs import replace

_NAME_OF_BUILD = re.compile(r"currentBuild\.(?:displayName|description)\s*=")
_PATH = re.compile(r"[\w.][\w./-]*", re.ASCII)


def assignment_of(statement: Statement) -> GroovyAssignment | None:
    """Return what *statement* assigns, None if it is another one."""
    if isinstance(statement, OtherGroovy):
        return statement.definition or statement.variable
    return statement if isinstance(statement, GroovyAssignment) else None


def reassigned(block: GroovyBlock) -> frozenset[str]:
    """Return the names that *block*, or a block in it, assigns without a definition."""
    names, pending = set[str](), [block]
    while pending:
        for statement in pending.pop().statements:
            match statement:
                case GroovyAssignment():
                    names.add(statement.name)
                case OtherGroovy():
                    pending += statement.blocks
                case GroovyCall(block=GroovyBlock() as inner):
                    pending.append(inner)
    return frozenset(names)


def read_assignment(reader: StepReader, statement: Statement, context: SourceStepContext) -> None:
    """Read *statement*; raise `UntranslatableError` if it is none of those of this module."""
    comment = comment_above(statement.span)
    match statement:
        case OtherGroovy(definition=GroovyAssignment() as definition):
            _define(reader, definition, context, comment)
        case OtherGroovy(variable=GroovyAssignment() as variable):
            _assign(reader, variable, context, comment, is_environment=True)
        case GroovyAssignment():
            _assign(reader, statement, context, comment, is_environment=False)
        case _:
            text = statement.span.text
            is_name = _NAME_OF_BUILD.match(text) is not None
            reason = "a config has no name of a build" if is_name else f"it contains Groovy: {shown(text)}"
            raise UntranslatableError(reason)
    reader.marks.all(statement)


def _define(reader: StepReader, definition: GroovyAssignment, context: SourceStepContext, comment: str) -> None:
    """Read `def name = value`, whose name only the block knows."""
    name, value = definition.name, definition.value
    if (build := _build_of(value)) is not None and not reader.names.is_known(name):
        reader.commented(comment, context, lambda: build_image(reader, build, context))
        reader.names = reader.names.with_image(name, build.arguments[0].value)
        return
    status, is_changing = status_script(value), name in reader.names.changing
    if is_changing:
        _check_text(value)
    if status is None and is_text(value) and not is_changing:
        reader.names = reader.names.with_definition(name, value)
        return
    if reader.names.is_variable(name):
        raise UntranslatableError(f'"{name}" is a variable of the environment, too')
    if status is not None:
        _add_status(reader, command_of(reader.names.script(status)), name, context, comment)
        return
    _add(reader, _printed(reader, value), name, context, comment)
    reader.names = reader.names.with_local(name)


def _add_status(
    reader: StepReader, command: ScriptCommand, name: str, context: SourceStepContext, comment: str
) -> None:
    """Add *command*, whose status the variable *name* gets."""
    if context.directory or context.exports:
        raise UntranslatableError("it is in a block of another step")
    status = replace(command, text=tested(command), variable=name, is_status=True, comment=comment)
    reader.add(status, context)
    reader.names = reader.names.with_local(name, is_status=True)


def _build_of(value: Value) -> GroovyCall | None:
    """Return the call of `docker.build` that *value* is, None for another value."""
    if not isinstance(value, GroovyPart) or not value.text.startswith("docker.build("):
        return None
    call = GroovyReader(SourceFile("", value.text), GroovyTokens(value.text)).call(0)
    return call if call is not None and call.name == "docker.build" else None


def _assign(
    reader: StepReader, assignment: GroovyAssignment, context: SourceStepContext, comment: str, *, is_environment: bool
) -> None:
    """Read `name = value`, or with *is_environment* `env.name = value`, which later stages can read."""
    name = assignment.name
    if not is_environment and reader.names.defined.get(name) == (ShellVariable(name),):
        _check_text(assignment.value)
        _add(reader, _printed(reader, assignment.value), name, context, comment)
        return
    value = reader.names.assigned.get(name)
    command = _printed(reader, assignment.value)  # a value that no command prints is the better reason
    if value is None or value.is_environment != is_environment or context.is_after:
        scope = "env." if is_environment else ""
        raise UntranslatableError(f"it contains Groovy: {shown(scope + assignment.whole.text)}")
    command = replace(command, is_exported=is_environment, is_output=value.is_output)
    _add(reader, command, name, context, comment)
    if not is_environment:
        reader.names = reader.names.with_value(name)


def _check_text(value: Value) -> None:
    """Raise `UntranslatableError` unless *value* is a text, which a shell splits into the same words as Groovy."""
    match value:
        case GroovyChoice():
            for part in (value.first, value.other):
                _check_text(part)
        case GroovyText() if not any(isinstance(part, str) and is_interpreted(part) for part in value.parts):
            return
        case GroovyTrimmed():
            return
        case _:
            raise UntranslatableError("a variable of a shell is a text without signs for it")


def _printed(reader: StepReader, value: Value) -> ScriptCommand:
    """Return the command that prints *value*, or the value as a word."""
    if isinstance(value, GroovyChoice):
        return ScriptCommand(text="\n".join(_chosen(value, reader.names)))
    call = printing_command(value)
    if call is None:
        return ScriptCommand(text=reader.names.shell_word(value), is_value=True)
    if not isinstance(value, GroovyTrimmed):
        raise UntranslatableError("a config has no value with the line break after the output of a command")
    if path := read_path(call):
        return ScriptCommand(text=f"cat {path}")
    argument = call.argument("script")
    return command_of(reader.names.script(argument.value if argument is not None else None))


def _chosen(value: Value, names: JenkinsNames) -> list[str]:
    """Return the lines of the command that prints *value*, a text or a choice between two values."""
    if not isinstance(value, GroovyChoice):
        if any(isinstance(part, str) and is_interpreted(part) for part in getattr(value, "parts", ())):
            raise UntranslatableError("a shell interprets one of its values")
        return [printing(value, names)]
    first, other = (_chosen(each, names) for each in (value.first, value.other))
    ends = [f"el{other[0]}", *other[1:]] if isinstance(value.other, GroovyChoice) else ["else", *_indented(other), "fi"]
    return [f"if {shell_test(value.condition, names)}; then", *_indented(first), *ends]


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"  {line}" for line in lines]


def _add(reader: StepReader, command: ScriptCommand, name: str, context: SourceStepContext, comment: str) -> None:
    if command.is_value and context.exports:
        raise UntranslatableError("it may read a variable of the block around it")
    reader.add(replace(command, variable=name, comment=comment), context)


def is_text(value: Value) -> bool:
    """Return whether *value* is a text that is inserted wherever its name is read: no command prints it."""
    return printing_command(value) is None and not isinstance(value, GroovyChoice)


def printing_command(value: Value) -> GroovyCall | None:
    """Return the step `sh` whose output is *value*, or `readFile` with `.trim()`; None for another value."""
    call = value.call if isinstance(value, GroovyTrimmed) else value
    if isinstance(value, GroovyTrimmed) and read_path(value.call):
        return value.call
    is_printing = isinstance(call, GroovyCall) and call.name == "sh" and call.argument("script") is not None
    if not is_printing or not isinstance(call, GroovyCall) or call.block is not None:
        return None
    output = call.argument("returnStdout")
    return call if output is not None and constant(output.value) == "true" else None


def status_script(value: Value) -> Value | None:
    """Return the script whose status *value* is, None for another value."""
    if not isinstance(value, GroovyCall) or value.name != "sh":
        return None
    script, status = value.argument("script"), value.argument("returnStatus")
    is_status = status is not None and constant(status.value) == "true"
    return script.value if script is not None and is_status else None


def read_path(call: GroovyCall) -> str:
    """Return the path of the file that *call* reads; "" for other steps, and for paths with other signs."""
    argument = call.argument("file", "") if call.name == "readFile" and len(call.arguments) == 1 else None
    path = constant(argument.value) if argument is not None else None
    return path if path is not None and _PATH.fullmatch(path) and call.block is None else ""
