"""Values that jobs leave for others: in dotenv reports, and in the files of a generated pipeline."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from pipegen.bindings.script.lexer import lex
from pipegen.importing.gitlab.reading.jobs import SourceJob
from pipegen.importing.gitlab.reading.tree import items_of, text_of, texts_of
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.structs import Struct

# https://docs.gitlab.com/ci/yaml/artifacts_reports/#artifactsreportsdotenv
# GitLab removes blanks around a value, and expands variables in it, which an output does not.
_LINE = re.compile(r"([A-Za-z_]\w*)=(?:\S(?:.*\S)?)?", re.ASCII)
_LITERAL = re.compile(r"'[^'\"]*\$")
_CHECKOUT = r"(?:\$CI_PROJECT_DIR|\$\{CI_PROJECT_DIR\})/"
_PATH = re.compile(rf"(?:\./|{_CHECKOUT})?(\w[\w./-]*)", re.ASCII)
_SCRIPTS = ("before_script", "script")
_DOCUMENT = re.compile(r"<<(?P<dash>-?)[ \t]*(?P<quote>['\"]?)(?P<delimiter>\w+)(?P=quote)")
# Commands that end a script without an error, or change its directory; those of subshells do neither.
_END = re.compile(r"\bexit\b(?![ \t]+[1-9])|(?:^|[;&|(])[ \t]*(?:exec|return)\b", re.MULTILINE)
_DIRECTORY = re.compile(r"\b(?:cd|pushd|popd)\b")
_SUBSHELL = re.compile(r"\([^()]*\)")
_MOST_LEVELS = 10
# In these, a NUL stands for the path of the report.
_REDIRECTED = re.compile(r"(?P<command>.*[^>])>(?P<append>>?)[ \t]*\0", re.DOTALL)
_PIPED = re.compile(
    r"(?:(?P<command>.*[^|])\|)?[ \t]*tee(?P<append>[ \t]+(?:-a|--append))?[ \t]+\0(?:[ \t]*>[ \t]*/dev/null)?",
    re.DOTALL,
)
_REMOVED = re.compile(r"rm(?:[ \t]+-f)?[ \t]+\0|(?:(?::|true)[ \t]*)?>[ \t]*\0")
_WITHOUT_EFFECT = re.compile(r"(?:cat|source|\.|touch)[ \t]+\0")

# Commands of a generated job that read a dotenv file, and that store the value for other jobs, or for GitLab.
_READ = r"sed -n s/\^(?P<name>\w+)=//p (?P<file>[\w./-]+)"
_STORED = re.compile(rf"{_READ} >(?P<path>\.pipegen/outputs/\S+)")
_ASSIGNED = re.compile(rf"(?P<variable>\w+)=\$\({_READ}\)")
_FETCHED = re.compile(r"(?P<variable>\w+)=\$\(cat (?P<path>\.pipegen/outputs/\S+)\)")
_PRINTED = re.compile(r'printf %s "\$(?P<variable>\w+)" >(?P<path>\.pipegen/outputs/\S+)')
_REPORTED = re.compile(r"""printf '(?P<path>PIPEGEN_\w+)=%s\\n' "\$(?P<variable>\w+)" >>\.pipegen/dotenv/""")

_NO_REFERENCES: Mapping[str, str] = MappingProxyType({})


class DotenvReport(Struct):
    """A dotenv report: its *path* from the checkout, and the *names* of its variables."""

    path: str
    names: tuple[str, ...]

    def command(self, name: str) -> str:
        """Return the command that reads the variable *name* of the report."""
        return f"sed -n s/^{name}=//p {self.path}"


def _value(job: str, path: str, name: str) -> str:
    return f"{name} in {path} of {job}"


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


def report_of(job: SourceJob) -> DotenvReport:
    """Return the dotenv report of *job*, which has one.

    Raise `UntranslatableError` if its script does not say for certain which variables the report has: commands that
    always run write each of them once.
    """
    paths = _paths(job)
    match = _PATH.fullmatch(paths[0]) if len(paths) == 1 else None
    if match is None or match[1].startswith(".pipegen/"):
        raise UntranslatableError("its path is not constant")
    path = match[1]
    if any(_contains(text_of(item), path) for item in items_of(job.get("after_script"))):
        raise UntranslatableError(f'"after_script" contains "{path}"')
    names: dict[str, None] = {}
    reason = moved = ""
    for statement in _statements(job, path):
        if _contains(statement, path):
            _write(statement, path, names, reason, moved)
        if _END.search(statement):
            reason = "the script may end before the report is complete"
        if _DIRECTORY.search(_without_subshells(statement)):
            moved = "the script changes the directory"
    if not names:
        raise UntranslatableError(f'the script writes no variables to "{path}"')
    return DotenvReport(path, tuple(names))


def _paths(job: SourceJob) -> tuple[str, ...]:
    artifacts = job.get("artifacts")
    reports = artifacts.get("reports") if isinstance(artifacts, TreeMapping) else None
    return texts_of(reports.get("dotenv")) if isinstance(reports, TreeMapping) else ()


def _contains(text: str, path: str) -> bool:
    """Return whether *text* may name the file *path*."""
    return path.rpartition("/")[2] in text


def _statements(job: SourceJob, path: str) -> Iterator[str]:
    """Yield the commands of the script of *job*, whole blocks as one, if it contains *path*."""
    text = "\n".join(text_of(item) for key in _SCRIPTS for item in items_of(job.get(key)))
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


def _write(statement: str, path: str, names: dict[str, None], reason: str, moved: str) -> None:
    """Add the variables that *statement* writes to the file *path* to *names*, and remove those that it overwrites.

    Raise `UntranslatableError` for the *reason* why it may not run, or if the directory was *moved* before.
    """
    shown = statement.partition("\n")[0]
    command, body = _without_document(statement)
    word = re.escape(path)
    absolute, relative = re.compile(rf'"{_CHECKOUT}{word}"|{_CHECKOUT}{word}'), rf'"(?:\./)?{word}"|(?:\./)?{word}'
    command = absolute.sub("\0", command)
    is_absolute = "\0" in command
    command = re.sub(rf"(?<![^\s>])(?:{relative}|'(?:\./)?{word}')(?![^\s>;])", "\0", command).rstrip("; \t")
    if _WITHOUT_EFFECT.fullmatch(command):
        return
    if refused := reason or ("" if is_absolute else moved):
        raise UntranslatableError(refused)
    match = _REDIRECTED.fullmatch(command) or _PIPED.fullmatch(command)
    if _REMOVED.fullmatch(command) or (match is not None and not match["append"]):
        names.clear()
    if _REMOVED.fullmatch(command):
        return
    printing = (match["command"] or "").strip() if match is not None else path
    lines = None if _contains(printing, path) else _lines(printing, body)
    variables = [_LINE.fullmatch(line) for line in lines or ("",)]
    for variable in variables:
        if variable is None or variable[1] in names:
            raise UntranslatableError(f'which variables the command "{shown}" writes is not certain')
        names[variable[1]] = None


def _without_subshells(text: str) -> str:
    """Return *text* without subshells, of which a number of levels is known."""
    for _ in range(_MOST_LEVELS):
        text = _SUBSHELL.sub("", text)
    return text


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
    if _LITERAL.search(_without_subshells(command)):
        return None
    lexed, error = lex(command, ())
    commands = [each for each in lexed.commands if each.level == 1]
    if command.startswith("{") and commands and commands[-1].is_compound and ">" not in command:
        commands.pop()
    elif len(commands) != 1:
        return None
    printed = [_printed(*(word.text for word in each.words)) if not each.is_compound else None for each in commands]
    if error is not None or None in printed:
        return None
    return [line for lines in printed for line in lines or ()]


def _printed(name: str = "", *arguments: str) -> list[str] | None:
    """Return the lines that the command *name* prints, None if they are not known."""
    text = " ".join(arguments)
    match name:
        case "echo" if not text.startswith("-") and "\\" not in text:
            return text.split("\n")
        case "printf" if arguments:
            return _formatted(arguments[0], len(arguments) - 1)
    return None


def _formatted(text: str, number: int) -> list[str] | None:
    """Return the lines that the format *text* gives with a *number* of arguments, None if it may repeat them."""
    *lines, rest = text.replace("\n", r"\n").split(r"\n")
    is_repeated = number > text.replace("%%", "").count("%")
    return None if rest or r"\\" in text or is_repeated else lines


class LeftValues(Struct, kw_only=True):
    """What stands for the values of dotenv files that a job leaves.

    Those *for_others* are by variable, or by the path of the file with the value. Its *own* are for its environment.
    """

    for_others: Mapping[str, str] = _NO_REFERENCES
    own: Mapping[str, str] = _NO_REFERENCES


NO_VALUES = LeftValues()


def values_of_report(job: str, report: DotenvReport | None) -> LeftValues:
    """Return the values that the *job* of a source leaves in *report*."""
    values = {name: _value(job, report.path, name) for name in report.names} if report is not None else _NO_REFERENCES
    return LeftValues(for_others=values, own=values)


def generated_values(job: SourceJob) -> LeftValues:
    """Return the values that a generated *job* leaves."""
    own: dict[str, str] = {}
    left: dict[str, str] = {}
    name = job.name.removeprefix("stage ")
    artifacts = job.get("artifacts")
    stored = texts_of(artifacts.get("paths")) if isinstance(artifacts, TreeMapping) else ()
    for text in (text_of(item) for key in _SCRIPTS for item in items_of(job.get(key))):
        left |= {match["path"]: _value(name, match["file"], match["name"]) for match in _STORED.finditer(text)}
        own |= {match["variable"]: _value(name, match["file"], match["name"]) for match in _ASSIGNED.finditer(text)}
        for match in (*_PRINTED.finditer(text), *_REPORTED.finditer(text)):
            if match["variable"] in own:
                left[match["path"]] = own[match["variable"]]
    reported = ("PIPEGEN_",) if any(path.startswith(".pipegen/dotenv/") for path in _paths(job)) else ()
    others = {path: value for path, value in left.items() if path.startswith((*stored, *reported))}
    return LeftValues(for_others=others, own=own)


def read_variable(command: str, received: Mapping[str, str], values: LeftValues) -> tuple[str, str] | None:
    """Return the variable that a generated *command* sets to a value, and what stands for this.

    It is one of those *received* from other jobs, or an own one. Return None if it is another command.
    """
    if match := _FETCHED.fullmatch(command):
        return match["variable"], received.get(match["path"], "")
    if match := _ASSIGNED.fullmatch(command):
        return match["variable"], values.own.get(match["variable"], "")
    return None
