"""Scripts that their shell cannot parse, if this shell is installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Collection, Iterable, Iterator, Sequence

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.lint.base import CheckedConfig
from pipegen.lint.scripts import ShellText, shell_texts
from pipegen.plan.model import ShellProgram
from pipegen.source.text import Span
from pipegen.structs import Struct

# Separates two scripts. Outside quotes it is a command that never runs; within quotes or backticks that a script leaves
# open, it is a syntax error, so that no quote of the next script closes them.
_BORDER = "\n}\n: \"')\" \"')\" '`)'\n{ :\n"
# `shopt -s extglob` is not executed, and decides how bash parses what comes after it.
_COMMANDS = {ShellProgram.SH: ("sh", "-n"), ShellProgram.BASH: ("bash", "-O", "extglob", "-n")}
# A variable such as BASH_ENV or ENV would name a file to execute.
_ENVIRONMENT = {"LC_ALL": "C", "PATH": os.defpath}
_QUOTES = "'\"`"
# The start of a here-document; `<<<` is a here-string.
_DOCUMENT = r"(?<!<)<<-?[ \t]*[\\\"']?(?P<delimiter>[A-Za-z_]\w*)"
_WORDS = r"(?m)^[^\n]*?: (?:line )?(?P<line>[0-9]+): (?:[Ss]yntax error:? *)?(?P<what>[^\n]*)"


class _ParseError(Struct):
    """The message of a shell that cannot parse a script, and its line, from 1."""

    line: int
    message: str


def check(config: CheckedConfig, report: Report) -> None:
    """Report scripts that their shell cannot parse, at the user's lines; no command is executed.

    An entry that leaves a quote or a here-document open is reported too: engines insert text between entries.
    """
    texts = tuple(shell_texts(config))
    unparsable = _unparsable(texts)
    for text in unparsable:
        _report(text, report)
    reported = {text.spans for text in unparsable}
    for text in texts:
        if not reported or text.spans not in reported:
            _report_open_entry(text, report)


def unparsable_scripts(config: CheckedConfig) -> list[ShellText]:
    """Return the scripts of *config* that their shell cannot parse."""
    return _unparsable(shell_texts(config))


def _unparsable(texts: Iterable[ShellText]) -> list[ShellText]:
    by_shell: dict[ShellProgram, list[ShellText]] = {}
    for text in texts:
        by_shell.setdefault(text.shell, []).append(text)
    return [text for shell, own in by_shell.items() for text in _unparsable_texts(_COMMANDS[shell], own)]


def _unparsable_texts(command: tuple[str, ...], texts: Sequence[ShellText]) -> Iterator[ShellText]:
    """Yield those of *texts* that the shell cannot parse; one process suffices if there are none."""
    program = shutil.which(command[0])
    if program is None:
        return
    whole = "".join(["{ :\n", _BORDER.join([text.text for text in texts]), "\n}\n"])
    if _can_parse(program, command, whole):
        return
    if len(texts) > 1:
        half = len(texts) // 2
        yield from _unparsable_texts(command, texts[:half])
        yield from _unparsable_texts(command, texts[half:])
    elif not _can_parse(program, command, texts[0].text):
        yield texts[0]


def _report(text: ShellText, report: Report) -> None:
    """Report *text*, which its shell cannot parse; a warning if the shell is sh and bash can parse it."""
    error = _parse_error(text.shell, text.text)
    if error is None:
        return
    if (
        text.shell is ShellProgram.SH
        and shutil.which("bash") is not None
        and _parse_error(ShellProgram.BASH, text.text) is None
    ):
        report.add(
            codes.BASH_SYNTAX,
            f"only bash can parse this script, but the stage runs in sh: {error.message}",
            at=_line(text, error.line),
            hint='add "shell: bash" to the stage, in an image that has bash',
        )
        return
    unterminated = _unterminated(text.text)
    report.add(
        codes.SHELL_SYNTAX,
        f"{text.shell.value} cannot parse this script: {error.message}",
        at=text.span_of(unterminated[0], unterminated[0] + 1) if unterminated is not None else _line(text, error.line),
        label=unterminated[1] if unterminated is not None else "",
        hint="close open quotes and blocks: each script, and each command of an output, must be complete",
    )


def _report_open_entry(text: ShellText, report: Report) -> None:
    """Report the first entry of *text* that a later one completes."""
    parts = text.parts
    for number, entry in enumerate(text.entries[:-1]):
        later = {part.strip() for part in parts[number + 1 :]}
        opened = _open_document(parts[number], later) or _open_quote(parts[number])
        if opened is not None:
            start, message = opened
            report.add(
                codes.SHELL_SYNTAX,
                "this entry of the script is incomplete",
                at=entry.part(start, start + 1),
                label=message,
                hint='write these lines as one entry, a block that begins with "|"',
            )
            return


def _open_document(entry: str, later: Collection[str]) -> tuple[int, str] | None:
    """Return the start of a here-document in *entry* that ends in one of the *later* entries, and a label for it."""
    for start in re.finditer(_DOCUMENT, entry):
        if start["delimiter"] in later and start["delimiter"] not in map(str.strip, entry[start.end() :].split("\n")):
            return start.start(), "this here-document does not end here"
    return None


def _open_quote(entry: str) -> tuple[int, str] | None:
    """Return the start of a quote that *entry* does not close, and a label for it."""
    if not any(entry.count(quote) % 2 for quote in _QUOTES):
        return None
    unterminated = _unterminated(entry)
    return unterminated if unterminated is not None and entry[unterminated[0]] in _QUOTES else None


def _unterminated(script: str) -> tuple[int, str] | None:
    """Return the offset of the first construct in *script* that does not end, and why; None if all end."""
    from pipegen.bindings.script.lexer import lex  # noqa: PLC0415 - most scripts need no grammar: 3 % of 10 stages

    _, error = lex(script, ())
    return (error.offset, error.reason) if error is not None else None


def _line(text: ShellText, number: int) -> Span:
    """Return the line *number* of *text*, from 1, at most the last one."""
    lines = text.text.rstrip("\n").split("\n")
    number = max(min(number, len(lines)), 1)
    start = sum(len(line) + 1 for line in lines[: number - 1])
    indent = len(lines[number - 1]) - len(lines[number - 1].lstrip())
    return text.span_of(start + indent, start + max(len(lines[number - 1].rstrip()), 1))


def _parse_error(shell: ShellProgram, script: str) -> _ParseError | None:
    """Return why *shell* cannot parse *script*; None if it can, or is not installed."""
    program = shutil.which(_COMMANDS[shell][0])
    if program is None:
        return None
    result = _parse(program, _COMMANDS[shell], script)
    if result.returncode == 0:
        return None
    errors = re.finditer(_WORDS, result.stderr.decode(errors="replace"))
    first = next((error for error in errors if not error["what"].startswith("`")), None)
    return _ParseError(int(first["line"]), first["what"]) if first else _ParseError(1, f"status {result.returncode}")


def _can_parse(program: str, command: tuple[str, ...], script: str) -> bool:
    """Return whether the shell *program* parses *script*."""
    return _parse(program, command, script).returncode == 0


def _parse(program: str, command: tuple[str, ...], script: str) -> subprocess.CompletedProcess[bytes]:
    """Return the result of the shell *program* that parses *script* and executes nothing."""
    arguments = (program, *command[1:])
    return subprocess.run(arguments, input=script.encode(), env=_ENVIRONMENT, capture_output=True, check=False)
