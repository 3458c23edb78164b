"""The scripts of stages as another program may read them: references stand as variables of the same length."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate

from pipegen.bindings.expression import Reference
from pipegen.bindings.script.model import Body, Context, Delimiter, Escaped, PlacedReference, ScriptPart
from pipegen.config.model import StageConfig, StepValue
from pipegen.lint.base import Checked, CheckedStage
from pipegen.plan.model import Commands, Line, ShellProgram
from pipegen.plan.stage.commands import entries_of
from pipegen.source.text import Span
from pipegen.source.tree import Mapping, Scalar
from pipegen.structs import Struct


class ShellText(Struct):
    """Commands that one shell runs: *text* has as many characters as the *entries* have, each ended by a line break."""

    text: str
    shell: ShellProgram
    entries: tuple[Scalar, ...]

    @property
    def spans(self) -> tuple[Span, ...]:
        """Where its entries stand in the file."""
        return tuple(entry.span for entry in self.entries)

    def place(self, start: int, end: int) -> Span:
        """Return where a stretch of *text* stands in the file: as much of it as stands in one line."""
        starts = [0, *accumulate(len(entry.text) + 1 for entry in self.entries)]
        number = min(bisect_right(starts, start) - 1, len(self.entries) - 1)
        entry = self.entries[number]
        first = min(start - starts[number], len(entry.text))
        line = entry.text.find("\n", first)
        last = min(end - starts[number], line if line >= 0 else len(entry.text))
        return entry.part(first, max(first, last)) if last > first else entry.span


def shell_texts(checked: Checked) -> Iterator[ShellText]:
    """Yield each script of *checked* once, what comes after it, and the commands of outputs."""
    seen: set[tuple[Span, ...]] = set()
    for work in checked.work():
        for text in texts_of(work, seen):
            seen.add(text.spans)
            yield text


def texts_of(work: CheckedStage, seen: Collection[tuple[Span, ...]] = ()) -> Iterator[ShellText]:
    """Yield each script of *work*, what comes after it, and the commands of outputs, but for those at *seen* spans."""
    for lines, entries in _scripts(work):
        if entries and len(lines) == len(entries) and tuple(entry.span for entry in entries) not in seen:
            text = "".join(f"{_read(line, entry)}\n" for line, entry in zip(lines, entries, strict=True))
            yield ShellText(text, work.job.machine.shell, entries)


def _scripts(work: CheckedStage) -> Iterator[tuple[tuple[Line, ...], tuple[Scalar, ...]]]:
    for step in work.job.steps:
        if isinstance(step, Commands):
            yield step.lines, _entries(work.stage.script)
            commands = _commands(work.stage)
            for output in step.outputs:
                if output.command is not None and output.name in commands:
                    yield (output.command,), (commands[output.name],)
    if work.job.after:
        yield work.job.after, _entries(work.stage.after)


def _entries(value: StepValue | None) -> tuple[Scalar, ...]:
    return entries_of(value.node) if value is not None else ()


def _commands(stage: StageConfig) -> dict[str, Scalar]:
    """Return the commands that measure outputs, by the names of these."""
    node = stage.outputs.node if stage.outputs is not None else None
    entries = node.entries if isinstance(node, Mapping) else ()
    found = ((entry.key.text, entry.value.get("command")) for entry in entries if isinstance(entry.value, Mapping))
    return {name: command for name, command in found if isinstance(command, Scalar)}


def _read(line: Line, entry: Scalar) -> str:
    """Return what the shell reads in place of *entry*, character for character."""
    text = "".join(map(_shown, line.script.parts))
    return text if len(text) == len(entry.text) else entry.text


def _shown(part: ScriptPart) -> str:
    match part:
        case PlacedReference():
            return _variable(part.reference, part.context)
        case Escaped():
            return "x" * (len(part.text) + 1)
        case Delimiter():
            return part.written
        case Body():
            return part.text
    return part


def _variable(reference: Reference, context: Context) -> str:
    """Return a variable as long as *reference* is written, in the quotes that pipegen would put around it."""
    length = len(str(reference)) + (len(reference.default) + 1 if reference.default is not None else 0)
    match context:
        case Context.WORD:
            return f'"${_name(reference, length - 3)}"'
        case Context.DOUBLE | Context.DOCUMENT:
            return f"${{{_name(reference, length - 3)}}}"
    return _name(reference, length)


def _name(reference: Reference, length: int) -> str:
    words = re.sub(r"\W+", "_", str(reference), flags=re.ASCII).strip("_")
    return f"p{words}".ljust(length, "_")[:length]


def lines_of(text: str) -> Sequence[int]:
    """Return where the lines of *text* begin."""
    return [0, *(found.end() for found in re.finditer("\n", text))]
