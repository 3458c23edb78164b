"""A graph as a Mermaid flowchart, which GitLab and GitHub display in Markdown."""

import re

from pipegen.graph.execution import ExecutionGraph
from pipegen.visible import visible

# Labels are parsed as Markdown, with icons, entities, formulas and `%%{…}%%` settings: everything but letters and
# digits is escaped, except for separators between two of them ("build-image", "build_image", "unit tests", "a/b").
_SPECIAL = re.compile(r"(?<![^\W_])[-_ /]|[-_ /](?![^\W_])|[!-,.:-@\[-^`{-~]")


def render_mermaid(graph: ExecutionGraph) -> str:
    """Return *graph* as a flowchart from left to right; node IDs are n0, n1, …, so that none is a keyword."""
    numbers = {node: number for number, node in enumerate(graph.nodes)}
    lines = ["flowchart LR"]
    for node, number in numbers.items():
        lines.append(f'    n{number}["{_label(node)}"]')
    for earlier, later in graph.arcs:
        lines.append(f"    n{numbers[earlier]} --> n{numbers[later]}")
    return "\n".join([*lines, ""])


def _label(text: str) -> str:
    """Return *text* escaped for a quoted label, which may not be empty."""
    return "<br/>".join(_SPECIAL.sub(_entity, visible(line)) for line in text.split("\n")) or "#32;"


def _entity(match: re.Match[str]) -> str:
    return f"#{ord(match[0])};"
