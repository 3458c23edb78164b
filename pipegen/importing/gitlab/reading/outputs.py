"""Variables that the scripts of jobs write to their dotenv reports."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import dropwhile
from posixpath import normpath
from types import MappingProxyType

from pipegen.bindings.script.lexer import lex
from pipegen.bindings.script.syntax import ShellCommand
from pipegen.importing.gitlab.reading.jobs import SourceJob
from pipegen.importing.gitlab.reading.stored import artifacts_of
from pipegen.importing.gitlab.reading.tree import flat_items, text_of, texts_of
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.structs import MutableStruct, Struct, field

# https://docs.gitlab.com/ci/yaml/artifacts_reports/#artifactsreportsdotenv
# GitLab removes blanks around a value, and expands variables in it, which an output does not.
_LINE = re.compile(r"([A-Za-z_]\w*)=(?:\S(?:.*\S)?)?", re.ASCII)
_CHECKOUT = r"(?:\$CI_PROJECT_DIR|\$\{CI_PROJECT_DIR\})/"
_PATH = re.compile(rf"(?:\./|{_CHECKOUT})?([\w.][\w./-]*)", re.ASCII)
_SCRIPTS = ("before_script", "script")
_DOCUMENT = re.compile(r"<<(?P<dash>-?)[ \t]*(?P<quote>['\"]?)(?P<delimiter>\w+)(?P=quote)")
# Commands that end a script without an error, or change its directory; those of subshells do neither.
_ENDING, _MOVING = frozenset({"exec", "exit", "return"}), frozenset({"cd", "pushd", "popd"})
_FAILURE = re.compile(r"[1-9]\d?")
# They run another command in the shell of the script: their argument, or one in the text of their arguments.
_PREFIXES, _EVALUATING = ("builtin", "command"), ("eval", "trap")
# Commands that write no files but those that their text names; assignments and blocks have no name.
_WITHOUT_FILES = frozenset(
    {
        *("", ":", "[", "[[", "echo", "exit", "export", "false", "printf", "set", "test", "true", "unset"),
        *("cat", "cut", "date", "git", "grep", "head", "jq", "rm", "sed", "tail", "tee", "touch", "tr", "wc"),
        *("apk", "apt-get", "cd"),
    }
)
# In these, a NUL stands for the path of the report. No descriptor or other sign is before the redirection.
_REDIRECTED = re.compile(r"(?P<command>(?:.*[^><&|\d}\\])?)>(?P<append>>?)[ \t]*\0", re.DOTALL)
_PIPED = re.compile(
    r"(?:(?P<command>.*[^|])\|)?[ \t]*tee(?P<append>[ \t]+(?:-a|--append))?[ \t]+\0(?:[ \t]*>[ \t]*/dev/null)?",
    re.DOTALL,
)
_REMOVED = re.compile(r"rm(?:[ \t]+-f)?[ \t]+\0|(?:(?::|true)[ \t]*)?>[ \t]*\0")
_WITHOUT_EFFECT = re.compile(r"(?P<reader>cat|source|\.|touch)[ \t]+\0")
# Shell text in quotes or not, without substitutions.
_PIECE = re.compile(r"'(?P<single>[^']*)'|\"(?:[^\"\\]|\\.)*\"|\\.|(?P<bare>[^'\"\\])", re.DOTALL)
# A block whose commands all run, one after the other, and print what the block prints.
_ORDERED = re.compile(r"(?:[^>&|]|&&)*")
# A dollar sign that the shell does not expand, or that begins a quote, and a comment.
_LITERAL = re.compile(r"\\\$|\$(?![\w({@*#?!$-])|(?:^|\s)#")
# The shell can make several words, or none, of one with these: in quotes, only with lists.
_EXPANDED = frozenset("*?[{$`")
_LIST = re.compile(r"\$@|\$\{[^}]*@")
_FORMAT = re.compile(r"(?:[^%\\]|%[sd%]|\\n)*")

_COVER = "\0"

_NO_REFERENCES: Mapping[str, str] = MappingProxyType({})


class DotenvReport(Struct):
    """A dotenv report: its *path* from the checkout, and the *names* of its variables."""

    path: str
    names: tuple[str, ...]

    def command(self, name: str) -> str:
        """Return the command that reads the variable *name* of the report."""
        return f"sed -n s/^{name}=//p {self.path}"


class StageOutputs(Struct, kw_only=True):
    """The *report* of a stage if it becomes outputs, else the *reason* why not.

    *references* are those to values of reports that the stage gets, or for an address of its own, by variable; *env*
    are those that its script reads as variables.
    """

    report: DotenvReport | None = None
    reason: str = ""
    references: Mapping[str, str] = _NO_REFERENCES
    env: Mapping[str, str] = _NO_REFERENCES


NO_OUTPUTS = StageOutputs()


def has_report(job: SourceJob) -> bool:
    """Return whether *job* has a dotenv report."""
    return bool(_paths(job))


def report_of(job: SourceJob, *, gets_files: bool) -> DotenvReport:
    """Return the dotenv report of *job*, which has one.

    Raise `UntranslatableError` if its script does not say for certain which variables the report has: commands that
    always run write each of them once. If the job *gets_files*, they may contain the report of another one.
    """
    paths = _paths(job)
    match = _PATH.fullmatch(paths[0]) if len(paths) == 1 else None
    path = match[1] if match is not None else ""
    if normpath(path) != path or path.startswith(("../", ".pipegen/")) or path in ("..", "."):
        raise UntranslatableError("it is not one file with a plain path in the checkout")
    if any(_contains(text_of(item), path) for item in flat_items(job.get("after_script"))):
        raise UntranslatableError(f'"after_script" contains "{path}"')
    if named := [name for name, variable in job.variables.items() if _contains(variable.text, path)]:
        raise UntranslatableError(f'the variable {named[0]} contains "{path}"')
    file = _WrittenFile(path, is_new=not gets_files)
    for statement in _statements(job, path):
        file.run(statement)
    if not file.names:
        raise UntranslatableError(f'the script writes no variables to "{path}"')
    return DotenvReport(path, tuple(file.names))


def _paths(job: SourceJob) -> tuple[str, ...]:
    return texts_of(artifacts_of(job)[1].get("dotenv"))


def _contains(text: str, path: str) -> bool:
    """Return whether *text* may name the file *path*."""
    return path.rpartition("/")[2] in text


def _statements(job: SourceJob, path: str) -> Iterator[str]:
    """Yield the commands of the script of *job*, whole blocks as one, if it contains *path*."""
    text = "\n".join(text_of(item) for key in _SCRIPTS for item in flat_items(job.get(key)))
    if not _contains(text, path):
        return
    lexed, error = lex(text, ())
    if error is not None:
        raise UntranslatableError(error.reason)
    starts = lexed.line_starts
    for start, end in zip(starts, [*starts[1:], len(text)], strict=False):
        lines = text[start:end].split("\n")
        while len(lines) > 1 and (lines[-1].lstrip().startswith("#") or not lines[-1].strip()):
            lines.pop()
        statement = "\n".join(lines)
        yield from _separated(statement) if _contains(statement, path) else (statement,)


def _separated(statement: str) -> Iterator[str]:
    """Yield the parts of *statement* between semicolons; a block is one part."""
    commands = lex(statement, ())[0].commands
    is_block = any(command.is_compound for command in commands)
    words = [command.words[0].start for command in commands if command.level == 1 and command.words and not is_block]
    starts = [0, *(start for start in words if statement[:start].rstrip().endswith(";"))]
    for start, end in zip(starts, [*starts[1:], len(statement)], strict=True):
        yield statement[start:end].rstrip()


class _WrittenFile(MutableStruct):
    """The file *path* as commands of a script leave it, with the *names* of its variables.

    Before the first of them, it *is_new* if no command can have written it. The script may end before its next command,
    or have moved to another directory, for the reasons *ended* and *moved*.
    """

    path: str
    is_new: bool
    names: dict[str, None] = field(default_factory=dict)
    ended: str = ""
    moved: str = ""

    def run(self, statement: str) -> None:
        """Run *statement*; raise `UntranslatableError` if its effect on the file is not certain."""
        self.is_new &= _WITHOUT_FILES.issuperset(_command_names(statement))
        if _contains(statement, self.path):
            self._write(statement)
        names = set(_names_in_shell(statement))
        if not names.isdisjoint(_ENDING):
            self.ended = "the script may end before the report is complete"
        if not names.isdisjoint(_MOVING):
            self.moved = "the script changes the directory"

    def _write(self, statement: str) -> None:
        """Add the variables that *statement* writes, and remove those that it overwrites."""
        command, body = _without_document(statement)
        word = re.escape(self.path)
        absolute, relative = re.compile(rf'"{_CHECKOUT}{word}"|{_CHECKOUT}{word}'), rf'"(?:\./)?{word}"|(?:\./)?{word}'
        command = absolute.sub("\0", command)
        is_absolute = "\0" in command
        command = re.sub(rf"(?<![^\s>])(?:{relative}|'(?:\./)?{word}')(?![^\s>;])", "\0", command).rstrip("; \t")
        if reading := _WITHOUT_EFFECT.fullmatch(command):
            self.is_new &= reading["reader"] == "touch"
            return
        if refused := self.ended or ("" if is_absolute else self.moved):
            raise UntranslatableError(refused)
        match = _REDIRECTED.fullmatch(command) or _PIPED.fullmatch(command)
        if _REMOVED.fullmatch(command) or (match is not None and not match["append"]):
            self.names.clear()
            self.is_new = True
        if _REMOVED.fullmatch(command):
            return
        printing = (match["command"] or "").strip() if match is not None else self.path
        lines = None if _contains(printing, self.path) else _lines(printing, body)
        variables = [_LINE.fullmatch(line) for line in lines or ("",)]
        for variable in variables:
            if variable is None or variable[1] in self.names:
                shown = statement.partition("\n")[0]
                raise UntranslatableError(f'which variables the command "{shown}" writes is not certain')
            if not (self.names or self.is_new):
                raise UntranslatableError(f'"{self.path}" may exist before the script appends to it')
            self.names[variable[1]] = None


def _name_of(command: ShellCommand) -> tuple[str, tuple[str, ...]]:
    """Return the name and the arguments of *command*, without a name for blocks and assignments."""
    words = dropwhile(lambda word: word.assigned is not None or word.text in _PREFIXES, command.words)
    name, *arguments = [word.text for word in words] or [""]
    return name, tuple(arguments)


def _command_names(statement: str) -> Iterator[str]:
    """Yield the names of all commands in *statement*."""
    yield from (_name_of(command)[0] for command in lex(statement, ())[0].commands)


def _names_in_shell(statement: str) -> Iterator[str]:
    """Yield the names of the commands in *statement* that the shell of the script runs, without `exit` for failures."""
    commands = lex(statement, ())[0].commands
    blocks = [command for command in commands if command.is_compound and statement.startswith("(", command.start)]
    covered = _covered(statement, [range(block.start, block.end) for block in blocks])
    for command in commands:
        name, arguments = _name_of(command)
        if command.level > 1 or covered.startswith(_COVER, command.start):
            continue
        if name in _EVALUATING:
            yield from re.findall(r"\w+", " ".join(arguments))
        elif not (name == "exit" and arguments and _FAILURE.fullmatch(arguments[0])):
            yield name


def _without_document(statement: str) -> tuple[str, str | None]:
    """Return *statement* without its here-document, and the text of this, None without one."""
    first, _, rest = statement.partition("\n")
    match = _DOCUMENT.search(first)
    if match is None:
        return statement, None
    lines = [line.lstrip("\t") if match["dash"] else line for line in rest.split("\n")]
    text = "\n".join(lines[:-1])
    if match["delimiter"] not in lines[-1:] or "\\" in text or (match["quote"] and "$" in text):
        return statement, None
    return f"{first[: match.start()].rstrip()} {first[match.end() :].strip()}".strip(), text


def _lines(command: str, document: str | None) -> list[str] | None:
    """Return the lines that *command*, with this *document* as its input, prints; None if they are not known.

    In them, a dollar sign stands for the output of a command.
    """
    if document is not None:
        return document.split("\n") if command in ("cat", "") else None
    lexed, error = lex(command, ())
    text = _without_substitutions(command, lexed.commands)
    if error is not None or not _expands_dollars(text):
        return None
    commands = [each for each in lexed.commands if each.level == 1]
    is_block = text.startswith("{") and _ORDERED.fullmatch(text) is not None
    if is_block and commands and commands[-1].is_compound:
        commands.pop()
    elif len(commands) != 1:
        return None
    printed = [_printed(each, text) if not each.is_compound else None for each in commands]
    return None if None in printed else [line for lines in printed for line in lines or ()]


def _without_substitutions(text: str, commands: Iterable[ShellCommand]) -> str:
    """Return *text* with NULs in place of the *commands* in substitutions."""
    inner = [command for command in commands if command.level > 1]
    documents = [word for command in inner for word in command.documents]
    parts = [(command.start, command.end) for command in inner] + [(word.start, word.end) for word in documents]
    return _covered(text, [range(*part) for part in parts])


def _covered(text: str, parts: Iterable[range]) -> str:
    """Return *text* with NULs in place of its *parts*."""
    characters = list(text)
    for part in parts:
        characters[part.start : part.stop] = _COVER * len(part)
    return "".join(characters)


def _expands_dollars(text: str) -> bool:
    """Return whether the shell expands all dollar signs in *text*, which contains no comment."""
    quoted = (piece["single"] or "" for piece in _PIECE.finditer(text))
    return _LITERAL.search(text) is None and not any("$" in part for part in quoted)


def _printed(command: ShellCommand, text: str) -> list[str] | None:
    """Return the lines that *command* in *text* prints, None if they are not known."""
    name, *arguments = [word.text for word in command.words] or [""]
    joined = " ".join(arguments)
    match name:
        case "echo" if not joined.startswith("-") and "\\" not in joined:
            lines = joined.split("\n")
            return lines if len(lines) == 1 or "{" not in joined else None  # braces may repeat lines
        case "printf" if arguments:
            pieces = _PIECE.finditer(text, command.words[1].start, command.words[-1].end)
            is_certain = _LIST.search(text) is None and not any(piece["bare"] in _EXPANDED for piece in pieces)
            return _formatted(arguments[0], arguments[1:]) if is_certain else None
    return None


def _formatted(text: str, arguments: Sequence[str]) -> list[str] | None:
    """Return the lines that the format *text* gives with *arguments*, None if it repeats them, or for other formats."""
    if _FORMAT.fullmatch(text) is None or len(arguments) > text.replace("%%", "").count("%"):
        return None
    values = iter(arguments)
    fixed = {"%%": "%", r"\n": "\n"}
    filled = re.sub(r"%[sd%]|\\n", lambda match: fixed.get(match[0]) or next(values, ""), text)
    *lines, rest = filled.split("\n")
    return None if rest else lines
