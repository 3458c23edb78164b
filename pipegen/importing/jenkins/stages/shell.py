"""The commands of a stage: each step `sh` runs in a shell of its own, the entries of a script share one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from pipegen.emit.yaml import Commented, Value
from pipegen.importing.jenkins.stages.shell_text import has_open_quote, may_fail_unnoticed, open_quote
from pipegen.importing.jenkins.stages.texts import path_word, quoted
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.structs import Struct

_PROGRAM = re.compile(r"#!\s*(\S+)(?:[ \t]+(\S+))?([^\n]*)\n?")
# A first line that would name a program, but is a comment: only the first characters of a script name one.
_LATE_PROGRAM = re.compile(r"\A\s+#![^\n]*(?:\n|\Z)")
_SHELLS = frozenset({"sh", "bash", "dash", "ash"})
# Options of a shell for errors, unset variables and the log; a login shell, for example, has other variables.
_OPTIONS = frozenset("eux")
# Commands that change the shell for those after them.
_LASTING = re.compile(
    r"(?:^|[;&|({]|\bthen|\bdo|\belse)\s*"
    r"(?:cd|pushd|popd|export|set|source|\.|exit|trap|umask|alias|unset|eval|shopt|exec|readonly|ulimit)\b"
    r"|(?:^|[;&|({])\s*[A-Za-z_]\w*=|\w\s*\(\)\s*\{|^\s*\. ",
    re.MULTILINE,
)
# A line break with a backslash, which Groovy removes, leaves the indentation of the next line.
_GAP = re.compile(r"[ \t]{4,}")
_COMMENT = re.compile(r"(?:^|\s)#")
_BLANK_END = re.compile(r"\s+\Z")
_WIDTH = 100
_LINES = re.compile(r"[\n#]")
_SEVERAL = re.compile(r"[;|&\n#]")
# A command with a reference, or on several lines.
_NOT_PLAIN = re.compile(r"\n|(?<!\$)\$\{[\w-]*(?:\[[^]]*\])?\.")
_ERREXIT = re.compile(r"\A\s*set\s+-\w*e")
_PIPEFAIL = re.compile(r"\A\s*set\s+-\w*o?\s*.*pipefail")


# Several commands: a shell that ignores a failure of the first one runs the others.
_SEQUENCE = re.compile(r"[;\n#]|(?<![&>])&(?![&>])|\\\Z")


class ScriptCommand(Struct, kw_only=True):
    """The text of a step that a shell runs, with its comment; *exports* are variables of `withEnv` around it.

    *variable* is one of the shell that gets its output, with *is_value* the word *text*, or with *is_status* the number
    with which it ends; programs read it if *is_exported*, and other stages if *is_output*. With *is_message*, it only
    writes to the log. With *accepts_failure*, Jenkins continues if it fails. A text that *is_group* is in parentheses.
    One that *sets_variables* has the lines of other commands, whose variables later commands read.
    """

    text: str
    comment: str = ""
    is_bash: bool = False
    stops_at_errors: bool = True
    refuses_unset: bool = False
    directory: str = ""
    exports: tuple[tuple[str, str], ...] = ()
    variable: str = ""
    is_value: bool = False
    is_status: bool = False
    is_exported: bool = False
    is_output: bool = False
    is_message: bool = False
    accepts_failure: bool = False
    is_group: bool = False
    sets_variables: bool = False


def command_of(text: str, comment: str = "") -> ScriptCommand:
    """Return the *text* of a step `sh`; raise `UntranslatableError` if another program than a shell reads it."""
    program = _PROGRAM.match(text)
    if program is None:
        return ScriptCommand(text=trimmed(_LATE_PROGRAM.sub("", text)), comment=comment)
    path, argument = program[1], program[2] or ""
    name = path.rpartition("/")[2]
    if name == "env":
        name, argument = argument, program[3].strip()
    if name not in _SHELLS:
        raise UntranslatableError(f'"{name}" reads the script, not a shell')
    options = set(argument.removeprefix("-"))
    if options - _OPTIONS:
        raise UntranslatableError(f'the shell has the options "{argument}"')
    return ScriptCommand(
        text=trimmed(text[program.end() :]),
        comment=comment,
        is_bash=name == "bash",
        stops_at_errors="e" in options,
        refuses_unset="u" in options,
    )


def tested(command: ScriptCommand) -> str:
    """Return *command* as a condition; raise `UntranslatableError` if a shell continues after failures in it."""
    if command.is_bash or _SEQUENCE.search(command.text):
        raise UntranslatableError("it contains several commands, whose failure a condition ignores")
    is_list = command.text.startswith("!") or "&&" in command.text or "||" in command.text
    return f"({command.text})" if is_list or _LASTING.search(command.text) else command.text


def trimmed(text: str) -> str:
    """Return *text* without the indentation that its lines share, unless quotes or here-documents contain lines."""
    if "<<" in text or has_open_quote(text):
        # The first line and a blank last one are outside these.
        return text.lstrip() if open_quote(text) else _BLANK_END.sub("", text.lstrip())
    lines = text.split("\n")
    while lines and not lines[0].strip():
        lines.pop(0)
    while lines and not lines[-1].strip():
        lines.pop()
    indents = [line[: len(line) - len(line.lstrip())] for line in lines if line.strip()]
    # The text can begin right after the quotes.
    shared = indents[1:] if indents and not indents[0] else indents
    width = next(
        (at for at, characters in enumerate(zip(*shared, strict=False)) if len(set(characters)) > 1),
        min(map(len, shared), default=0),
    )
    first, *rest = lines or [""]
    return "\n".join(map(_folded, [_without_end(first.lstrip()), *(_without_end(line[width:]) for line in rest)]))


def _without_end(line: str) -> str:
    """Return *line* without the blanks at its end, except one after a backslash, which is a word for the shell."""
    text = line.rstrip()
    backslashes = len(text) - len(text.rstrip("\\"))
    return text + line[len(text) : len(text) + backslashes % 2]


def _folded(line: str) -> str:
    """Return *line* with a line break at each gap, where the source had one that Groovy removes."""
    indent = line[: len(line) - len(line.lstrip())]
    if len(line) <= _WIDTH or _COMMENT.search(line):
        return line
    text = line.lstrip()

    def gap(match: re.Match[str]) -> str:
        return match[0] if open_quote(text[: match.start()]) else f" \\\n{indent}  "

    return indent + _GAP.sub(gap, text)


def with_outputs(commands: Sequence[ScriptCommand]) -> tuple[Sequence[ScriptCommand], Value]:
    """Return *commands* and the outputs that they set.

    The last commands can be those of the outputs if they read no variable of the script.
    """
    names = [command.variable for command in commands if command.is_output]
    first = len(commands) - len(names)
    variables = {command.variable for command in commands}
    if all(_is_own_command(command, variables) for command in commands[first:]):
        return commands[:first], {command.variable: {"command": command.text} for command in commands[first:]} or None
    return commands, [*names]


def _is_own_command(command: ScriptCommand, variables: AbstractSet[str]) -> bool:
    """Return whether *command* can be that of an output: one line without references and *variables*."""
    has_surroundings = command.directory or command.exports or command.is_bash
    is_plain = command.is_output and not command.is_value and not has_surroundings
    return is_plain and not _NOT_PLAIN.search(command.text) and variables.isdisjoint(re.findall(r"\w+", command.text))


def as_script(commands: Sequence[ScriptCommand], *, is_followed: bool = False) -> list[Value]:
    """Return *commands* as the entries of one script, in which none affects the others, or what may follow them."""
    is_bash = any(command.is_bash for command in commands)
    entries: list[Value] = []
    folders: set[str] = set()
    for at, command in enumerate(commands):
        is_new = command.directory not in folders
        folders.add(command.directory)
        text = _isolated(command, is_bash=is_bash, is_last=at == len(commands) - 1 and not is_followed, is_new=is_new)
        entries.append(Commented(text, command.comment) if command.comment else text)
    return entries


def _isolated(command: ScriptCommand, *, is_bash: bool, is_last: bool, is_new: bool) -> str:
    """Return the text of *command* without an effect on later ones; Jenkins creates a folder that *is_new*."""
    text = command.text
    if command.variable or command.sets_variables:
        return _assignment(command, is_bash=is_bash) if command.variable else text
    settings = _settings(command, is_bash=is_bash)
    before = _before(command, settings, is_new=is_new)
    if not before and (is_last or command.is_group or not (_LASTING.search(text) or may_fail_unnoticed(text))):
        return text
    if is_last and not command.directory:
        return "\n".join([*before, text])
    if not before and not _LINES.search(text):
        return f"({text})"
    if not _SEVERAL.search(text) and not settings and not command.exports:
        return f"({before[0]} && {text})"
    return "\n".join(["(", *before, text, ")"])


def _settings(command: ScriptCommand, *, is_bash: bool) -> list[str]:
    """Return the options of the shell with which Jenkins runs *command*, unless the script has them."""
    settings = []
    if not command.stops_at_errors and not _ERREXIT.match(command.text):
        settings.append("+e")
    if command.refuses_unset:
        settings.append("-u")
    if is_bash and "|" in command.text and not _PIPEFAIL.match(command.text):
        settings.append("+o pipefail")
    return settings


def _before(command: ScriptCommand, settings: Sequence[str], *, is_new: bool) -> list[str]:
    """Return the lines before *command*: its *settings*, its folder and its variables."""
    before = [f"set {' '.join(settings)}"] if settings else []
    if command.directory:
        folder = path_word(command.directory)
        before.append(f"mkdir -p {folder} && cd {folder}" if is_new else f"cd {folder}")
    return [*before, *(f"export {name}={quoted(value)}" for name, value in command.exports)]


def _assignment(command: ScriptCommand, *, is_bash: bool) -> str:
    """Return the lines that set the variable of *command*."""
    name = command.variable
    if command.is_status:
        return f"{name}=0\n{command.text} || {name}=$?"
    lines = [f"{name}={command.text if command.is_value else _substitution(command, is_bash=is_bash)}"]
    if command.is_exported:
        lines.append(f"export {name}")
    if command.is_output:
        lines.append(f'printf %s "${name}" >"$PIPEGEN_OUTPUTS/{name}"')
    return "\n".join(lines)


def _substitution(command: ScriptCommand, *, is_bash: bool) -> str:
    """Return the output of *command* as a word of the shell."""
    lines = command.text.split("\n")
    settings = _settings(command, is_bash=is_bash)
    if len(lines) > 1 and command.stops_at_errors:
        # bash ignores errors in substitutions otherwise.
        settings.insert(0, "-e")
    before = _before(command, settings, is_new=True)
    if not before and not command.text.startswith("("):
        return f"$({command.text})"
    is_literal = "<<" in command.text or has_open_quote(command.text)
    inner = [*before, *lines] if is_literal else [f"  {line}" if line else "" for line in (*before, *lines)]
    return "\n".join(["$(", *inner, ")"])
