"""Steps that become commands of a script."""

from __future__ import annotations

from pipegen.importing.jenkins.reading.source import comment_about
from pipegen.importing.jenkins.reading.syntax import (
    GroovyCall,
    GroovyText,
    Value,
    constant,
)
from pipegen.importing.jenkins.stages.shell import command_of, tested
from pipegen.importing.jenkins.stages.shell_text import removes_all
from pipegen.importing.jenkins.stages.steps import SourceStepContext, StepReader
from pipegen.importing.jenkins.stages.stored import leave_out_removal
from pipegen.importing.jenkins.stages.texts import JenkinsNames, shell_word
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.source.tree import whole_number
from pipegen.structs import replace

_UTF_8 = ("UTF-8", "UTF8")
# The most arguments of `docker.build`: an image and options.
_BUILD_ARGUMENTS = 2
_SECONDS = {"SECONDS": 1, "MINUTES": 60, "HOURS": 3600, "DAYS": 86400}


def sh(reader: StepReader, call: GroovyCall, context: SourceStepContext) -> None:
    """Read `sh`."""
    argument = call.argument("script", "")
    if argument is None:
        raise UntranslatableError("it has no script")
    status, output = call.argument("returnStatus"), call.argument("returnStdout")
    accepts_failure = status is not None and constant(status.value) == "true"
    if output is not None and constant(output.value) != "false":
        raise UntranslatableError("a config has no returnStdout")
    label = call.argument("label")
    title = constant(label.value) if label is not None else ""
    comment = "\n".join(filter(None, (comment_about(call), title)))
    command = command_of(reader.names.script(argument.value), comment)
    if context.precedes_unstash and not context.directory and removes_all(command.text):
        leave_out_removal(reader, call)
        return
    if accepts_failure:
        command = replace(command, text=f"{tested(command)} || true")
    reader.add(replace(command, accepts_failure=accepts_failure), context)
    read = ("script", "encoding", "returnStdout", "returnStatus", *(("label",) if title is not None else ()))
    reader.marks.read(call, *read)


def echo(reader: StepReader, call: GroovyCall, context: SourceStepContext) -> None:
    """Read `echo`, `println` or `print`."""
    argument = call.argument("message", "")
    command = printing(GroovyText((" ",)) if argument is None else argument.value, reader.names)
    reader.add(replace(command_of(command, comment_about(call)), is_message=True), context)
    reader.marks.read(call, "message")


def printing(value: Value, names: JenkinsNames) -> str:
    """Return the command that prints *value*: `echo` of some shells has options, and replaces backslashes."""
    word = names.shell_word(value)
    is_escaped = "\\\\" in word if word.startswith('"') else "\\" in word.replace("'\\''", "")
    is_other = is_escaped or names.has_backslash(value)
    return f"printf '%s\\n' {word}" if is_other or word.lstrip("'\"").startswith("-") else f"echo {word}"


def error(reader: StepReader, call: GroovyCall, context: SourceStepContext) -> None:
    """Read `error`."""
    argument = call.argument("message", "")
    if argument is None:
        raise UntranslatableError("it has no message")
    if context.is_after and context.when == "always":
        raise UntranslatableError("a failure of a command that follows in any case has no effect")
    message = printing(argument.value, reader.names)
    reader.command(call, f"{message} >&2\nexit 1", context)
    reader.marks.read(call, "message")


def sleep(reader: StepReader, call: GroovyCall, context: SourceStepContext) -> None:
    """Read `sleep`."""
    unit = call.argument("unit")
    seconds = _SECONDS.get(constant(unit.value) or "") if unit is not None else 1
    if seconds is None:
        raise UntranslatableError("a command sleeps for whole seconds")
    reader.command(call, f"sleep {number_of(call, 'time', '') * seconds}", context)
    reader.marks.read(call, "time", "unit")


def number_of(call: GroovyCall, *names: str) -> int:
    """Return the number of the first argument of *names*; raise `UntranslatableError` if it is not constant."""
    argument = call.argument(*names)
    text = constant(argument.value) if argument is not None else None
    if text is None or (number := whole_number(text)) is None:
        raise UntranslatableError("its number is known only at run time")
    return number


def build_image(reader: StepReader, call: GroovyCall, context: SourceStepContext) -> None:
    """Read `docker.build`, whose second argument is a part of a command."""
    values = [argument.value for argument in call.arguments if not argument.name]
    if call.block is not None or len(values) != len(call.arguments) or len(values) not in (1, _BUILD_ARGUMENTS):
        raise UntranslatableError("it has no image or other arguments")
    options = reader.names.script(values[1]) if len(values) == _BUILD_ARGUMENTS else "."
    reader.command(call, f"docker build -t {reader.names.shell_word(values[0])} {options}", context)
    reader.marks.read(call)


def write_file(reader: StepReader, call: GroovyCall, context: SourceStepContext) -> None:
    """Read `writeFile`."""
    path, text = call.argument("file"), call.argument("text")
    if path is None or text is None:
        raise UntranslatableError("it has no file or no text")
    encoding = call.argument("encoding")
    if encoding is not None and (constant(encoding.value) or "").upper() not in _UTF_8:
        raise UntranslatableError("a command writes UTF-8")
    name, content = reader.names.shell_word(path.value), reader.names.shell_word(text.value)
    # The step also makes the folder of the file.
    known = constant(path.value)
    folder = f'"$(dirname {name})"' if known is None else shell_word((known.rpartition("/")[0],))
    has_folder = known is None or bool(known.rpartition("/")[0])
    before = f"mkdir -p {folder}\n" if has_folder else ""
    reader.command(call, f"{before}printf %s {content} >{name}", context)
    reader.marks.read(call, "file", "text", "encoding")
