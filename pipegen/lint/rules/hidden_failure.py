"""Failures that a pipe into `tee` hides."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.lint.base import Checked
from pipegen.plan.model import ShellProgram
from pipegen.plan.stage.commands import entries_of
from pipegen.source.text import Span
from pipegen.source.tree import Scalar

_TEE = re.compile(r"(?<!\|)\|&?\s*(?:sudo\s+)?(?P<tee>tee)\b")
# What a command begins behind, once expansions are out of the way; ">&" belongs to one.
_BORDER = r"[;|(){}]|(?<!>)&"
_EXPANSION = r"\$\{[^{}\n]*\}|\$\([^()\n]*\)"
_LEADING = r"\s*(?:(?:if|then|else|do|time|!|[A-Za-z_]\w*=\S*)\s+)*(?P<command>[\w./-]+)?"
# What hardly fails, or what a test of its own looks at.
_HARMLESS = ("echo", "printf", "cat", "date", "ls", "env", "true", "yes", "pwd", "hostname")
_AWARE = re.compile(r"pipefail|PIPESTATUS|mkfifo")


def check(checked: Checked, report: Report) -> None:
    """Report commands that are piped into `tee` in a shell without `pipefail`: the script goes on where they fail."""
    for work in checked.work():
        script = work.stage.script
        if script is None or work.job.machine.shell is not ShellProgram.SH:
            continue
        entries = entries_of(script.node)
        if any(_AWARE.search(entry.text) for entry in entries):
            continue
        for command, place in (found for entry in entries for found in _hidden(entry)):
            report.add(
                codes.HIDDEN_FAILURE,
                f'the script goes on when "{command}" fails: a pipe has the status of its last command',
                at=place,
                label="succeeds all the same",
                hint='say "shell: bash", which looks at all commands of a pipe',
            )


def _hidden(entry: Scalar) -> Iterator[tuple[str, Span]]:
    """Yield each command of *entry* whose failure `tee` hides, with the place of that."""
    text = _uncommented(entry.text)
    for found in _TEE.finditer(text):
        line = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
        before = re.split(_BORDER, re.sub(_EXPANSION, "x", line))[-1]
        leading = re.match(_LEADING, before)
        command = leading["command"] if leading is not None else None
        is_quoted = line.count('"') % 2 or line.count("'") % 2
        if command is not None and not is_quoted and command.rpartition("/")[2] not in _HARMLESS:
            yield command, entry.part(found.start("tee"), found.end("tee"))


def _uncommented(text: str) -> str:
    """Return *text* with its comments blanked out, and joined where a backslash joins lines, all in their places."""
    return re.sub(r"(?:^|(?<=\s))#[^\n]*|\\\n", lambda found: " " * len(found[0]), text)
