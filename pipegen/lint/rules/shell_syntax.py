"""Scripts that the shell itself cannot parse, where this machine has that shell."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.lint.base import Checked
from pipegen.lint.scripts import ShellText, shell_texts
from pipegen.plan.model import ShellProgram
from pipegen.source.text import Span
from pipegen.structs import Struct

# Between two scripts. Outside quotes it is a command that is never run; within quotes or backticks that a script leaves
# open, it is a syntax error, so that no quote of the next script closes them.
_BORDER = "\n}\n: \"')\" \"')\" '`)'\n{ :\n"
# `shopt -s extglob` is not executed, and decides how bash parses what comes after it.
_COMMANDS = {ShellProgram.SH: ("sh", "-n"), ShellProgram.BASH: ("bash", "-O", "extglob", "-n")}
# A variable such as BASH_ENV or ENV would name a file to execute.
_ENVIRONMENT = {"LC_ALL": "C", "PATH": os.defpath}
_QUOTES = "'\"`"
# What begins a here-document; `<<<` begins none.
_DOCUMENT = r"(?<!<)<<-?[ \t]*[\\\"']?(?P<delimiter>[A-Za-z_]\w*)"
_WORDS = r"(?m)^[^\n]*?: (?:line )?(?P<line>[0-9]+): (?:[Ss]yntax error:? *)?(?P<what>[^\n]*)"


class _Refusal(Struct):
    """Why a shell cannot parse a script: its own words, and the line that it names, from 1."""

    line: int
    what: str


def check(checked: Checked, report: Report) -> None:
    """Report scripts that their shell cannot parse, at the user's own lines; no command of them is executed.

    An entry that leaves a quote or a here-document open for the next one is reported too: engines put text between.
    """
    texts = tuple(shell_texts(checked))
    unparsed = _unparsed(texts)
    for text in unparsed:
        _report(text, report)
    reported = {text.spans for text in unparsed}
    for text in texts:
        if text.spans not in reported:
            _report_open_entry(text, report)


def refused(checked: Checked) -> list[ShellText]:
    """Return the scripts of *checked* that their shell cannot parse."""
    return _unparsed(shell_texts(checked))


def _unparsed(texts: Iterable[ShellText]) -> list[ShellText]:
    by_shell: dict[ShellProgram, list[ShellText]] = {}
    for text in texts:
        by_shell.setdefault(text.shell, []).append(text)
    return [text for shell, own in by_shell.items() for text in _refused(_COMMANDS[shell], own)]


def _refused(command: tuple[str, ...], texts: Sequence[ShellText]) -> Iterator[ShellText]:
    """Yield those of *texts* that the shell cannot parse: one process for all where it can parse all."""
    program = shutil.which(command[0])
    if program is None:
        return
    whole = "".join(["{ :\n", _BORDER.join([text.text for text in texts]), "\n}\n"])
    if _can_parse(program, command, whole):
        return
    if len(texts) > 1:
        half = len(texts) // 2
        yield from _refused(command, texts[:half])
        yield from _refused(command, texts[half:])
    elif not _can_parse(program, command, texts[0].text):
        yield texts[0]


def _report(text: ShellText, report: Report) -> None:
    """Report *text*, which its shell cannot parse; for one of sh that bash can parse, a warning."""
    refusal = _parsed(text.shell, text.text)
    if refusal is None:
        return
    if (
        text.shell is ShellProgram.SH
        and shutil.which("bash") is not None
        and _parsed(ShellProgram.BASH, text.text) is None
    ):
        report.add(
            codes.BASH_SYNTAX,
            f"only bash can parse this script, and the stage runs in sh: {refusal.what}",
            at=_line(text, refusal.line),
            hint='add "shell: bash" to the stage, in an image that has bash',
        )
        return
    from pipegen.bindings.script.lexer import lex  # noqa: PLC0415 - most scripts can be parsed

    _, lost = lex(text.text, ())
    report.add(
        codes.SHELL_SYNTAX,
        f"{text.shell.value} cannot parse this script: {refusal.what}",
        at=text.place(lost.offset, lost.offset + 1) if lost is not None else _line(text, refusal.line),
        label=lost.reason if lost is not None else "",
        hint="close what is open: each script, and each command of an output, is complete in itself",
    )


def _report_open_entry(text: ShellText, report: Report) -> None:
    """Report the first entry of *text* that a later one completes."""
    for number, entry in enumerate(text.entries[:-1]):
        later = {other.text.strip() for other in text.entries[number + 1 :]}
        opened = _open_document(entry.text, later) or _open_quote(entry.text)
        if opened is not None:
            start, what = opened
            report.add(
                codes.SHELL_SYNTAX,
                "this entry of the script is not complete in itself",
                at=entry.part(start, start + 1),
                label=what,
                hint='write these lines as one entry, a block that begins with "|"',
            )
            return


def _open_document(entry: str, later: Collection[str]) -> tuple[int, str] | None:
    """Return where a here-document begins in *entry* that one of the *later* entries ends, and what it lacks."""
    for start in re.finditer(_DOCUMENT, entry):
        if start["delimiter"] in later and start["delimiter"] not in map(str.strip, entry[start.end() :].split("\n")):
            return start.start(), "this here-document does not end here"
    return None


def _open_quote(entry: str) -> tuple[int, str] | None:
    """Return where *entry* opens a quote that it does not close, and what it is."""
    if not any(entry.count(quote) % 2 for quote in _QUOTES):
        return None
    from pipegen.bindings.script.lexer import lex  # noqa: PLC0415 - quotes of most entries come in pairs

    _, lost = lex(entry, ())
    return (lost.offset, lost.reason) if lost is not None and entry[lost.offset] in _QUOTES else None


def _line(text: ShellText, number: int) -> Span:
    """Return the line *number* of *text*, from 1; the last one where a shell counts further."""
    lines = text.text.rstrip("\n").split("\n")
    number = max(min(number, len(lines)), 1)
    start = sum(len(line) + 1 for line in lines[: number - 1])
    indent = len(lines[number - 1]) - len(lines[number - 1].lstrip())
    return text.place(start + indent, start + max(len(lines[number - 1].rstrip()), 1))


def _parsed(shell: ShellProgram, script: str) -> _Refusal | None:
    """Return why *shell* cannot parse *script*; None where it can, or is not installed."""
    import subprocess  # noqa: PLC0415 - a script that can be parsed needs none of it

    program = shutil.which(_COMMANDS[shell][0])
    if program is None:
        return None
    command = (program, *_COMMANDS[shell][1:])
    ended = subprocess.run(command, input=script.encode(), env=_ENVIRONMENT, capture_output=True, check=False)
    if ended.returncode == 0:
        return None
    found = re.finditer(_WORDS, ended.stderr.decode(errors="replace"))
    first = next((one for one in found if not one["what"].startswith("`")), None)
    return _Refusal(int(first["line"]), first["what"]) if first else _Refusal(1, f"status {ended.returncode}")


def _can_parse(program: str, command: tuple[str, ...], script: str) -> bool:
    """Return whether the shell *program* parses *script*.

    To import `subprocess` for this would take longer than the shell does.
    """
    source, sink = os.pipe()
    nowhere = (os.POSIX_SPAWN_OPEN, os.devnull, os.O_WRONLY, 0)
    actions = [(os.POSIX_SPAWN_DUP2, source, 0), *((nowhere[0], to, *nowhere[1:]) for to in (1, 2))]
    child = os.posix_spawn(program, command, _ENVIRONMENT, file_actions=actions)
    os.close(source)
    with suppress(BrokenPipeError), os.fdopen(sink, "wb") as stream:
        stream.write(script.encode())  # a shell that has read enough to refuse it closes the pipe
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
