"""Outputs and exports that nobody reads."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipegen.config.model import StepValue
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Fix
from pipegen.diagnostics.report import Report
from pipegen.lint.base import Checked, CheckedStage
from pipegen.lint.equivalence import is_idle
from pipegen.lint.removal import entry_removed, is_in
from pipegen.plan.model import Commands, Output
from pipegen.source.text import SourceFile, Span
from pipegen.source.tree import Entry, Mapping, Node, Scalar, children
from pipegen.structs import Struct

_REFERENCE = re.compile(r"\$\{(?:[^}.]*\.)?([A-Za-z0-9._-]+)")


class _Bound(Struct):
    """An output as it is written: *entry* with its value where it has one, in a map with *beside* others."""

    name: str
    span: Span
    entry: Entry | None
    within: StepValue | None
    is_free: bool


def check(checked: Checked, report: Report) -> None:
    """Report outputs and exports that no stage reads, this one's own neither."""
    read = {(id(work.plan), output) for work in checked.work() for output in work.job.reads}
    elsewhere = _words_in(*checked.settings.values(), *(node for work in checked.work() for _, node in work.job.raw))
    unread: dict[Span, tuple[CheckedStage, _Bound]] = {}
    used: set[Span] = set()
    for work in checked.work():
        own = None
        for bound in _bound(work):
            if (id(work.plan), Output(work.job.stage, bound.name)) not in read:
                own = own if own is not None else elsewhere | _own_words(work)
                if bound.name not in own:
                    unread.setdefault(bound.span, (work, bound))
                    continue
            used.add(bound.span)
    for span, (work, bound) in unread.items():
        if span not in used and is_in(span, checked.file):
            report.add(
                codes.UNUSED_OUTPUT,
                f'output "{bound.name}" of stage "{work.stage.said}" is never read',
                at=span,
                hint="remove it, or read it in a later stage: " + f"${{{work.stage.said}.{bound.name}}}",
                fix=_fix(bound, checked.file),
            )


def _bound(work: CheckedStage) -> Iterator[_Bound]:
    """Yield what the stage says that it binds."""
    node = work.stage.outputs.node if work.stage.outputs else None
    entries = {entry.key.span: entry for entry in node.entries} if isinstance(node, Mapping) else {}
    for step in work.job.steps:
        if isinstance(step, Commands):
            for one in step.outputs:
                yield _Bound(one.name, one.span, entries.get(one.span), work.stage.outputs, is_idle(one))
    for name, _ in work.stage.exports:
        yield _Bound(name.value, name.span, None, None, is_free=False)


def _own_words(work: CheckedStage) -> set[str]:
    """Return the names after the dots of all references that the stage holds."""
    return _words_in(work.stage.body) if work.stage.body is not None else set()


def _words_in(*nodes: Node) -> set[str]:
    found: set[str] = set()
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if isinstance(node, Scalar):
            found.update(_REFERENCE.findall(node.text))
        waiting += children(node)
    return found


def _fix(bound: _Bound, file: SourceFile) -> Fix | None:
    """Return how to remove an output: its command is not run in any case. The last one goes with its key."""
    entry, within = bound.entry, bound.within
    if not bound.is_free or entry is None or within is None or not isinstance(within.node, Mapping):
        return None
    start, last = (within.span, within.node) if len(within.node.entries) == 1 else (entry.key.span, entry.value)
    edit = entry_removed(Span(file, start.start, _end(last)))
    return Fix("removes the output", (edit,)) if edit is not None and is_in(entry.key.span, file) else None


def _end(node: Node) -> int:
    """Return where *node* ends: a map or a list without brackets does where its last value does."""
    while not node.span.file.text.startswith(("{", "["), node.span.start) and children(node):
        node = children(node)[-1]
    return node.span.end
