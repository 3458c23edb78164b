"""A config that has errors, checked again and again without the parts that have them."""

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

# Each finds what the checks that stop at an error find after it; what depends on that in turn takes more.
_MOST_ROUNDS = 12


def check_further(
    unknown: Unknown,
    tree: Node,
    again: Callable[[Node, tuple[Path, ...], Report], T | None],
    after: Callable[[T, Report], object],
    report: Report,
) -> None:
    """Report what holds of *tree* however the parts that are *unknown*, or turn out to have errors, are corrected.

    *again* checks what is left of the tree; *after* checks further what it returns when that has no errors.
    """
    for _ in range(_MOST_ROUNDS):
        parts = tuple(unknown.parts)
        further = Report()
        found = again(without(tree, parts), parts, further)
        report.take(further, unknown.vouches_for)
        errors = further.errors()
        if any(one.code in _LIMITS for one in errors):
            return
        if errors and unknown.add(errors):
            continue
        if errors or found is None:
            return
        if not unknown.add_stages():
            last = Report()
            after(found, last)
            report.take(last, unknown.vouches_for)
            return
