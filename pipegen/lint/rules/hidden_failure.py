"""Failures that a pipe into `tee` hides."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.lint.base import CheckedConfig
from pipegen.plan.model import ShellProgram
from pipegen.plan.stage.commands import script_entries
from pipegen.source.text import Span
from pipegen.source.tree import Scalar

_TEE = re.compile(r"(?<!\|)\|&?\s*(?:sudo\s+)?(?P<tee>tee)\b")
# The separators before a command, after expansions are replaced; ">&" is a redirection.
_BORDER = r"[;|(){}]|(?<!>)&"
_EXPANSION = r"\$\{[^{}\n]*\}|\$\([^()\n]*\)"
_LEADING = r"\s*(?:(?:if|then|else|do|time|!|[A-Za-z_]\w*=\S*)\s+)*(?P<command>[\w./-]+)?"
# Commands that hardly ever fail.
_HARMLESS = ("echo", "printf", "cat", "date", "ls", "env", "true", "yes", "pwd", "hostname")
_AWARE = re.compile(r"pipefail|PIPESTATUS|mkfifo")


def check(config: CheckedConfig, report: Report) -> None:
    """Report commands that are piped into `tee` in a shell without `pipefail`: the script continues if they fail."""
    for stage in config.stages():
        entries = script_entries(stage.config) if stage.job.machine.shell is ShellProgram.SH else ()
        if any(_AWARE.search(entry.text) for entry in entries):
            continue
        for command, span in (hidden for entry in entries for hidden in _hidden(entry)):
            report.add(
                codes.HIDDEN_FAILURE,
                f'the script continues when "{command}" fails: the status of a pipe is that of its last command',
                at=span,
                label="succeeds anyway",
                hint='set "shell: bash", which checks all commands of a pipe',
            )


def _hidden(entry: Scalar) -> Iterator[tuple[str, Span]]:
    """Yield each command of *entry* whose failure `tee` hides, with the span of `tee`."""
    text = _uncommented(entry.text)
    for pipe in _TEE.finditer(text):
        line = text[text.rfind("\n", 0, pipe.start()) + 1 : pipe.start()]
        command_text = re.split(_BORDER, re.sub(_EXPANSION, "x", line))[-1]
        leading = re.match(_LEADING, command_text)
        command = leading["command"] if leading is not None else None
        is_quoted = line.count('"') % 2 or line.count("'") % 2
        if command is not None and not is_quoted and command.rpartition("/")[2] not in _HARMLESS:
            yield command, entry.part(pipe.start("tee"), pipe.end("tee"))


def _uncommented(text: str) -> str:
    """Return *text* with blanks in place of comments and of joined line breaks; all offsets stay."""
    return re.sub(r"(?:^|(?<=\s))#[^\n]*|\\\n", lambda match: " " * len(match[0]), text)
