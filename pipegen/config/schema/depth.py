"""The limit on the nesting depth of a config."""

from __future__ import annotations

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.source.text import Span
from pipegen.source.tree import Mapping, Node, Scalar, Sequence, children

# Real configs stay below 20; later stages use recursion.
MAX_DEPTH = 100


def is_too_deep(tree: Node, report: Report) -> bool:
    """Report the first value that is nested too deeply; return whether there is one."""
    if _depth_is_fine(tree):
        return False
    open_nodes: list[tuple[Node, int]] = [(tree, 0)]
    while open_nodes:
        node, depth = open_nodes.pop()
        if depth > MAX_DEPTH:
            report_too_deep(node.span, report)
            return True
        open_nodes.extend((child, depth + 1) for child in reversed(children(node)))
    return False


def _depth_is_fine(tree: Node) -> bool:
    """Return whether nothing is too deep: faster than `is_too_deep`, but in no order."""
    level: list[Node] = [tree]
    for _ in range(MAX_DEPTH):
        level = _collections_in(level)
        if not level:
            return True
    return not any(map(children, level))


def _collections_in(nodes: list[Node]) -> list[Node]:
    """Return the lists and maps directly in *nodes*; most values are scalars, which are skipped."""
    lists = [item for node in nodes if type(node) is Sequence for item in node.items if type(item) is not Scalar]
    entries = [entry for node in nodes if type(node) is Mapping for entry in node.entries]
    return lists + [entry.value for entry in entries if type(entry.value) is not Scalar]


def report_too_deep(span: Span, report: Report) -> None:
    """Report the value at *span* as nested too deeply."""
    report.add(
        codes.UNSUPPORTED_YAML,
        f"the value is nested more than {MAX_DEPTH} levels deep",
        at=span,
        hint="keep nested data in a file of its own",
    )
