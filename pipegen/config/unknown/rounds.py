"""Repeated checks of a config with errors, each without the parts that have errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from pipegen.config.schema.parts import without
from pipegen.config.schema.violation import Path
from pipegen.config.unknown.unknown import Unknown
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.source.tree import Node

T = TypeVar("T")

# A config that is too large takes too long to be checked several times.
_LIMITS = (codes.CONFIG_TOO_LARGE, codes.TOO_MANY_STAGES, codes.TOO_LARGE_VALUES)

# Each round gets past the errors that stopped the previous one; parts that depend on them need more rounds.
_MOST_ROUNDS = 12


def check_further(
    unknown: Unknown,
    tree: Node,
    again: Callable[[Node, tuple[Path, ...], Report], T | None],
    after: Callable[[T, Report], object],
    report: Report,
) -> None:
    """Report the diagnostics of *tree* that stay valid however its *unknown* and invalid parts are corrected.

    *again* checks the rest of the tree; *after* makes further checks of the result if it has no errors.
    """
    for _ in range(_MOST_ROUNDS):
        parts = tuple(unknown.parts)
        further = Report()
        checked = again(without(tree, parts), parts, further)
        report.take(further, unknown.is_certain)
        errors = further.errors()
        if any(error.code in _LIMITS for error in errors):
            return
        if errors and unknown.add(errors):
            continue
        if errors or checked is None:
            return
        if not unknown.add_stages():
            last = Report()
            after(checked, last)
            report.take(last, unknown.is_certain)
            return
