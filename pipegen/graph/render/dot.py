"""A graph in Graphviz' DOT language."""

from __future__ import annotations

from pipegen.graph.execution import ExecutionGraph
from pipegen.visible import visible


def render_dot(graph: ExecutionGraph, title: str = "") -> str:
    """Return *graph* as a digraph from left to right; node IDs are the names."""
    lines = ["digraph {", "    rankdir=LR;", "    node [shape=box];"]
    if title:
        lines += [f"    label={_label(title)};", "    labelloc=t;"]
    for node in graph.nodes:
        lines.append(f"    {_name(node)}{_attributes(node)};")
    for earlier, later in graph.arcs:
        lines.append(f"    {_name(earlier)} -> {_name(later)};")
    return "\n".join([*lines, "}", ""])


def _attributes(node: str) -> str:
    """Return an explicit label if Graphviz would not display the name literally."""
    is_plain = all(char.isalnum() or char in " _-./:" for char in node)
    return "" if is_plain else f" [label={_label(node)}]"


def _name(node: str) -> str:
    """Return *node* as a quoted, unique ID; only a real backslash is doubled."""
    escaped = node.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{visible(escaped)}"'


def _label(text: str) -> str:
    """Return *text* as a quoted label, in which a backslash starts an escape, and ``&`` an HTML entity."""
    lines = (visible(line).replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;") for line in text.split("\n"))
    return '"' + "\\n".join(lines) + '"'
