"""The limit on the nesting depth of a config."""

from __future__ import annotations

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.source.text import Span
from pipegen.source.tree import Node, Scalar, children

# Real configs stay below 20; later stages use recursion.
MAX_DEPTH = 100


def is_too_deep(tree: Node, report: Report) -> bool:
    """Report the first value that is nested too deeply; return whether there is one."""
    level = [tree]
    for _ in range(MAX_DEPTH):
        level = [child for node in level for child in children(node) if type(child) is not Scalar]
    deepest = [child for node in level for child in children(node)]
    if deepest:
        report_too_deep(deepest[0].span, report)
    return bool(deepest)


def report_too_deep(span: Span, report: Report) -> None:
    """Report the value at *span* as nested too deeply."""
    report.add(
        codes.UNSUPPORTED_YAML,
        f"the value is nested more than {MAX_DEPTH} levels deep",
        at=span,
        hint="keep nested data in a file of its own",
    )
