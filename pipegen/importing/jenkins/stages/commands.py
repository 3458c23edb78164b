"""Steps that become commands of a script."""

from __future__ import annotations

from pipegen.importing.jenkins.reading.syntax import (
    GroovyCall,
    GroovyText,
    constant,
)
from pipegen.importing.jenkins.stages.steps import SourceStepContext, StepReader
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.source.tree import whole_number

_SECONDS = {"SECONDS": 1, "MINUTES": 60, "HOURS": 3600, "DAYS": 86400}


def sh(reader: StepReader, call: GroovyCall, context: SourceStepContext) -> None:
    """Read `sh`."""
    argument = call.argument("script", "")
    if argument is None:
        raise UntranslatableError("it has no script")
    for name in ("returnStdout", "returnStatus"):
        if (option := call.argument(name)) is not None and constant(option.value) != "false":
            raise UntranslatableError(f"a config has no {name}")
    reader.command(call, reader.names.script(argument.value), context)
    reader.marks.read(call, "script", "label", "encoding", "returnStdout", "returnStatus")


def echo(reader: StepReader, call: GroovyCall, context: SourceStepContext) -> None:
    """Read `echo`, `println` or `print`."""
    argument = call.argument("message", "")
    word = reader.names.shell_word(GroovyText((" ",)) if argument is None else argument.value)
    reader.command(call, f"echo {word}", context)
    reader.marks.read(call, "message")


def error(reader: StepReader, call: GroovyCall, context: SourceStepContext) -> None:
    """Read `error`."""
    argument = call.argument("message", "")
    if argument is None:
        raise UntranslatableError("it has no message")
    reader.command(call, f"echo {reader.names.shell_word(argument.value)} >&2\nexit 1", context)
    reader.marks.read(call, "message")


def sleep(reader: StepReader, call: GroovyCall, context: SourceStepContext) -> None:
    """Read `sleep`."""
    time = number_of(call, "time", "")
    unit = call.argument("unit")
    seconds = time * _SECONDS.get(constant(unit.value) or "" if unit is not None else "SECONDS", 1)
    reader.command(call, f"sleep {seconds}", context)
    reader.marks.read(call, "time", "unit")


def number_of(call: GroovyCall, *names: str) -> int:
    """Return the number of the first argument of *names*; raise `UntranslatableError` if it is not constant."""
    argument = call.argument(*names)
    text = constant(argument.value) if argument is not None else None
    if text is None or (number := whole_number(text)) is None:
        raise UntranslatableError("its number is known only at run time")
    return number


def write_file(reader: StepReader, call: GroovyCall, context: SourceStepContext) -> None:
    """Read `writeFile`."""
    path, text = call.argument("file"), call.argument("text")
    if path is None or text is None:
        raise UntranslatableError("it has no file or no text")
    name, content = reader.names.shell_word(path.value), reader.names.shell_word(text.value)
    reader.command(call, f"printf %s {content} >{name}", context)
    reader.marks.read(call, "file", "text", "encoding")
