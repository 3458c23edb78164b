"""The scripts of stages for other programs: references are replaced by variables of the same length."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from pipegen.bindings.expression import Reference
from pipegen.bindings.script.model import Body, Context, Delimiter, Escaped, PlacedReference, ScriptPart
from pipegen.lint.base import CheckedConfig, CheckedStage
from pipegen.plan.model import Commands, Line, ShellProgram
from pipegen.plan.stage.commands import commands_of, script_entries
from pipegen.source.text import Span
from pipegen.source.tree import Scalar, child, entries_of
from pipegen.structs import Struct

_NOT_IN_A_NAME = re.compile(r"\W+", re.ASCII)
IN_CURLY_QUOTES = re.compile(
    "[\u2018\u2019\u201c\u201d\u201e](?P<text>[^\u2018\u2019\u201c\u201d\u201e]*)[\u2018\u2019\u201c\u201d]"
)
# https://docs.gitlab.com/ci/yaml/expressions/: `$[[ inputs.name ]]`, perhaps with functions after `|`.
GITLAB_EXPRESSION = re.compile(r"\$\[\[\s*(?P<value>[a-z]+\.[\w-]+)[^][\n]*\]\]")


class ShellText(Struct):
    """Commands of one shell: *text* has as many characters as the *entries*, each with a line break at its end."""

    text: str
    shell: ShellProgram
    entries: tuple[Scalar, ...]

    @property
    def spans(self) -> tuple[Span, ...]:
        """The locations of its entries in the file."""
        return tuple([entry.span for entry in self.entries])

    @property
    def parts(self) -> tuple[str, ...]:
        """The part of *text* for each entry, without the line break at its end."""
        ends = accumulate(len(entry.text) + 1 for entry in self.entries)
        return tuple(
            [self.text[end - 1 - len(entry.text) : end - 1] for end, entry in zip(ends, self.entries, strict=True)]
        )

    def span_of(self, start: int, end: int) -> Span:
        """Return the location in the file of *text* from *start* to *end*, up to the end of the line."""
        starts = [0, *accumulate(len(entry.text) + 1 for entry in self.entries)]
        number = min(bisect_right(starts, start) - 1, len(self.entries) - 1)
        entry = self.entries[number]
        first = min(start - starts[number], len(entry.text))
        line = entry.text.find("\n", first)
        last = min(end - starts[number], line if line >= 0 else len(entry.text))
        return entry.part(first, max(first, last)) if last > first else entry.span


def shell_texts(config: CheckedConfig) -> Iterator[ShellText]:
    """Yield each script of *config* once, its `after` commands, and the commands of outputs."""
    seen: set[tuple[Span, ...]] = set()
    for stage in config.stages():
        yield from stage_shell_texts(stage, seen)


def stage_shell_texts(stage: CheckedStage, seen: set[tuple[Span, ...]]) -> Iterator[ShellText]:
    """Yield the script of *stage*, its `after` commands, and the commands of outputs, except those at *seen* spans.

    Their spans are added to *seen*.
    """
    for lines, entries in _scripts(stage):
        spans = tuple([entry.span for entry in entries])
        if entries and len(lines) == len(entries) and spans not in seen:
            seen.add(spans)
            texts = [f"{_entry_text(line, entry)}\n" for line, entry in zip(lines, entries, strict=True)]
            yield ShellText("".join(texts), stage.job.machine.shell, entries)


def _scripts(stage: CheckedStage) -> Iterator[tuple[tuple[Line, ...], tuple[Scalar, ...]]]:
    for step in stage.job.steps:
        if isinstance(step, Commands):
            yield step.lines, script_entries(stage.config)
            outputs = entries_of(stage.config.outputs.node) if stage.config.outputs is not None else ()
            for output, entry in zip(step.outputs, outputs, strict=False):
                command = child(entry.value, "command")
                if output.command is not None and isinstance(command, Scalar):
                    yield (output.command,), (command,)
    if stage.job.after:
        after = stage.config.after
        yield stage.job.after, commands_of(after.node) if after is not None else ()


def _entry_text(line: Line, entry: Scalar) -> str:
    """Return the text that replaces *entry* for the shell, of the same length.

    Text that other rules report, the expressions of GitLab and the quotes of an entry in curly quotes, is left out.
    """
    text = "".join([part if type(part) is str else _part_text(part) for part in line.script.parts])
    text = text if len(text) == len(entry.text) else entry.text
    if "$[[" in text:
        text = GITLAB_EXPRESSION.sub(lambda match: "x" * len(match[0]), text)
    return f" {quoted['text']} " if (quoted := IN_CURLY_QUOTES.fullmatch(text)) else text


def _part_text(part: ScriptPart) -> str:
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
    """Return a variable as long as *reference* in the config, with the quotes that pipegen adds."""
    written = str(reference)
    length = len(written) + (len(reference.default) + 1 if reference.default is not None else 0)
    match context:
        case Context.WORD:
            return f'"${_name(written, length - 3)}"'
        case Context.DOUBLE | Context.DOCUMENT:
            return f"${{{_name(written, length - 3)}}}"
    return _name(written, length)


def _name(reference: str, length: int) -> str:
    words = _NOT_IN_A_NAME.sub("_", reference).strip("_")
    return f"p{words}".ljust(length, "_")[:length]


def line_starts(text: str) -> Sequence[int]:
    """Return the offsets of the lines of *text*."""
    return [0, *(line_break.end() for line_break in re.finditer("\n", text))]
