"""The limit on the nesting depth of a config."""

from __future__ import annotations

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.source.text import Span
from pipegen.source.tree import Node, Scalar, children

# Real configs stay below 20; later stages use recursion.
MAX_DEPTH = 100


def depth(tree: Node) -> int:
    """Return the number of collections inside each other in *tree*; the count ends after `MAX_DEPTH`."""
    count, level = 0, [tree] if type(tree) is not Scalar else []
    while level and count <= MAX_DEPTH:
        level = [child for node in level for child in children(node) if type(child) is not Scalar]
        count += 1
    return count


def report_too_deep(span: Span, report: Report) -> None:
    """Report the value at *span* as nested too deeply."""
    report.add(
        codes.UNSUPPORTED_YAML,
        f"the value is nested more than {MAX_DEPTH} levels deep",
        at=span,
        hint="keep nested data in a file of its own",
    )
