"""Keys without an effect: no job gets them, or they refer to a value that is not in the files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.importing.accounting import Accounting, KeyOutcome
from pipegen.importing.gitlab.reading.files import Files
from pipegen.importing.gitlab.reading.tree import TagReference
from pipegen.source.tree import Entry, Node, entries_of, items_of
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Sequence as TreeSequence


class LostValues:
    """Marks the keys with a `!reference` to a value that is not in the files as reported."""

    def __init__(self, accounting: Accounting) -> None:
        self._accounting = accounting
        self._known: dict[int, bool] = {}  # by `id`: nodes with an anchor are in several places

    def mark(self, node: Node) -> bool:
        """Mark the keys in *node*; return whether it has such a reference itself, outside the maps in it."""
        if id(node) not in self._known:
            self._known[id(node)] = False
            self._known[id(node)] = self._marked(node)
        return self._known[id(node)]

    def _marked(self, node: Node) -> bool:
        if isinstance(node, TagReference):
            return self._accounting.outcome(node.span) is KeyOutcome.REPORTED
        for entry in entries_of(node):
            if self.mark(entry.value):
                self._accounting.mark_key(entry.key, KeyOutcome.REPORTED)
        lost = [self.mark(item) for item in node.items] if isinstance(node, TreeSequence) else []
        return any(lost)


def report_without_effect(files: Files, accounting: Accounting, report: Report) -> None:
    """Report the keys that no job gets, which have no outcome yet.

    Jobs of files that cannot be read may use them, and runs without the files of an include whose rules are ignored.
    """
    outcome = KeyOutcome.UNUSED if files.is_complete and not files.ignored else KeyOutcome.REPORTED
    for tree in files.trees:
        _report_entries(tree.entries, None, outcome, accounting, report)


def _report_entries(
    entries: Iterable[Entry], name: str | None, unused: KeyOutcome, accounting: Accounting, report: Report
) -> None:
    """Report those of *entries* that no job gets, and give them the outcome *unused*.

    *name* is the key at the top level that holds them, if any.
    """
    for entry in entries:
        key = entry.key.text
        if not accounting.is_marked(entry):
            outcome = accounting.outcome_of_parts(entry.value)
            accounting.mark(entry, outcome or unused)
            if outcome is not None:
                continue
            is_ignored = (name, key) == ("default", "timeout")
            reason = "GitLab ignores it there" if is_ignored else "no job gets this value"
            inner = f'"{key}" in "{name}" has no effect: {reason}'
            report.add(
                codes.WITHOUT_EFFECT,
                f'"{key}" is left out: no job uses it' if name is None else inner,
                at=entry.key.span,
                hint="remove it",
            )
            continue
        for mapping in _maps(entry.value):
            _report_entries(mapping.entries, key if name is None else name, unused, accounting, report)
        if accounting.outcome(entry.key.span) is None:
            accounting.mark_key(entry.key, KeyOutcome.TRANSLATED)


def _maps(node: Node) -> Iterator[TreeMapping]:
    """Yield *node* if it is a map, or the maps in a list of it."""
    if isinstance(node, TreeMapping):
        yield node
    for item in items_of(node):
        yield from _maps(item)
