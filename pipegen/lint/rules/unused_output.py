"""Outputs and exports that nobody reads."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipegen.config.model import StepValue
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Fix
from pipegen.diagnostics.report import Report
from pipegen.lint.base import CheckedConfig, CheckedStage
from pipegen.lint.equivalence import is_removable
from pipegen.lint.removal import is_in_file, remove_entry
from pipegen.plan.model import Commands, Output
from pipegen.source.text import SourceFile, Span
from pipegen.source.tree import Entry, Mapping, Node, Scalar, children
from pipegen.structs import Struct

_REFERENCE = re.compile(r"\$\{(?:[^}.]*\.)?([A-Za-z0-9._-]+)")


class _BoundOutput(Struct):
    """An output in the config: its *entry* in the map *within*, None for an export; *is_free* if it may be removed."""

    name: str
    span: Span
    entry: Entry | None
    within: StepValue | None
    is_free: bool


def check(config: CheckedConfig, report: Report) -> None:
    """Report outputs and exports that no stage reads, including their own."""
    read = {(id(stage.plan), output) for stage in config.stages() for output in stage.job.reads}
    elsewhere = _words_in(*config.settings.values(), *(node for stage in config.stages() for _, node in stage.job.raw))
    unread: dict[Span, tuple[CheckedStage, _BoundOutput]] = {}
    read_spans: set[Span] = set()
    for stage in config.stages():
        words = None
        for bound in _bound_outputs(stage):
            if (id(stage.plan), Output(stage.job.stage, bound.name)) not in read:
                words = words if words is not None else elsewhere | _own_words(stage)
                if bound.name not in words:
                    unread.setdefault(bound.span, (stage, bound))
                    continue
            read_spans.add(bound.span)
    for span, (stage, bound) in unread.items():
        if span not in read_spans and is_in_file(span, config.file):
            report.add(
                codes.UNUSED_OUTPUT,
                f'output "{bound.name}" of stage "{stage.config.display_name}" is never read',
                at=span,
                hint="remove it, or read it in a later stage: " + f"${{{stage.config.display_name}.{bound.name}}}",
                fix=_fix(bound, config.file),
            )


def _bound_outputs(stage: CheckedStage) -> Iterator[_BoundOutput]:
    """Yield the outputs and exports of *stage*."""
    node = stage.config.outputs.node if stage.config.outputs else None
    entries = {entry.key.span: entry for entry in node.entries} if isinstance(node, Mapping) else {}
    for step in stage.job.steps:
        if isinstance(step, Commands):
            for output in step.outputs:
                yield _BoundOutput(
                    output.name, output.span, entries.get(output.span), stage.config.outputs, is_removable(output)
                )
    for name, _ in stage.config.exports:
        yield _BoundOutput(name.value, name.span, None, None, is_free=False)


def _own_words(stage: CheckedStage) -> set[str]:
    """Return the names after the dots of all references in the stage."""
    return _words_in(stage.config.body) if stage.config.body is not None else set()


def _words_in(*nodes: Node) -> set[str]:
    words: set[str] = set()
    pending = list(nodes)
    while pending:
        node = pending.pop()
        if isinstance(node, Scalar):
            words.update(_REFERENCE.findall(node.text))
        pending += children(node)
    return words


def _fix(bound: _BoundOutput, file: SourceFile) -> Fix | None:
    """Return the fix that removes an output, whose command does not run anyway; the last one with its key."""
    entry, within = bound.entry, bound.within
    if not bound.is_free or entry is None or within is None or not isinstance(within.node, Mapping):
        return None
    start, last = (within.span, within.node) if len(within.node.entries) == 1 else (entry.key.span, entry.value)
    edit = remove_entry(Span(file, start.start, _end(last)))
    return Fix("removes the output", (edit,)) if edit is not None and is_in_file(entry.key.span, file) else None


def _end(node: Node) -> int:
    """Return the end of *node*; a map or list without brackets ends with its last value."""
    while not node.span.file.text.startswith(("{", "["), node.span.start) and children(node):
        node = children(node)[-1]
    return node.span.end
