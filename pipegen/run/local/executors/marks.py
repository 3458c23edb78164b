"""The command of a stage that failed, from the last mark of its script, with its line in the config."""

from __future__ import annotations

import re
from pathlib import Path

from pipegen.plan.model import Commands, Job
from pipegen.run.files import no_follow
from pipegen.source.text import Span
from pipegen.structs import Struct

# The folder of the marks, in the folder of values.
FOLDER = "commands"
_MARK = re.compile(r"(?P<entry>[0-9]{1,6})\.(?P<line>[0-9]{1,6})")
_BLOCK = "|"
_LONGEST = 80


class MarkFile(Struct):
    """The file in which attempt *number* of *job* marks its commands; *values* is the folder of values of the run.

    A script that is not marked (*is_marked*) has a single line of the user.
    """

    values: str
    job: Job
    number: int
    is_marked: bool

    @property
    def path(self) -> str:
        """The path of the file."""
        return f"{self.values}/{self._name}"

    def create_folder(self) -> None:
        """Create the folder of the file."""
        if self.is_marked:
            Path(self.path).parent.mkdir(parents=True, exist_ok=True)

    def location(self) -> str:
        """Return the line that ran last as `at FILE:LINE, "COMMAND"`, or "" if it was not a command of the user."""
        if not self.is_marked:
            spans = _spans(self.job)
            return _location(spans[0], 0) if len(spans) == 1 else ""
        try:
            text = (no_follow.read(self.values, self._name) or b"").decode(errors="replace")
        except OSError:
            return ""
        match = _MARK.fullmatch(text)
        spans = _spans(self.job)
        if match is None or int(match["entry"]) >= len(spans):
            return ""
        return _location(spans[int(match["entry"])], int(match["line"]))

    @property
    def _name(self) -> str:
        return f"{FOLDER}/{self.job.slug}/{self.number}"


def _spans(job: Job) -> list[Span]:
    """Return the locations of the entries of the script of *job*, and then of its outputs."""
    for step in job.steps:
        if isinstance(step, Commands):
            outputs = [
                output.command.script.span if output.command is not None else output.span for output in step.outputs
            ]
            return [*(line.script.span for line in step.lines), *outputs]
    return []


def _location(span: Span, line: int) -> str:
    number, text = span.first.line, span.text
    if text.startswith(_BLOCK) and number + 1 + line <= len(span.file.line_starts):
        number += 1 + line
        text = span.file.line(number)
    first, *more = text.strip().splitlines() or [""]
    is_cut = bool(more) or len(first) > _LONGEST
    return f'at {span.file.path}:{number}, "{first[:_LONGEST]}{"…" if is_cut else ""}"'
