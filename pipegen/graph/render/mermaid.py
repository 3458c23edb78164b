"""A graph as a Mermaid flowchart, which GitLab and GitHub draw where Markdown is shown."""

import json
import re
from collections.abc import Mapping
from types import MappingProxyType

from pipegen.graph.execution import ExecutionGraph
from pipegen.visible import visible

_NO_LABELS: Mapping[str, str] = MappingProxyType({})

# Labels are read as Markdown, with icons, entities, formulas and `%%{…}%%` settings: all but letters and digits is
# escaped, and what is harmless between two of these ("build-image", "build_image", "unit tests", "a/b") is not.
_SPECIAL = re.compile(r"(?<![^\W_])[-_ /]|[-_ /](?![^\W_])|[!-,.:-@\[-^`{-~]")


def render_mermaid(graph: ExecutionGraph, labels: Mapping[str, str] = _NO_LABELS, title: str = "") -> str:
    """Return *graph* as a flowchart from left to right; its nodes are called n0, n1, … so that no name is a keyword."""
    places = {node: place for place, node in enumerate(graph.nodes)}
    lines = ["---", f"title: {json.dumps(visible(title), ensure_ascii=False)}", "---"] if title else []
    lines.append("flowchart LR")
    for node, place in places.items():
        lines.append(f'    n{place}["{_label(labels.get(node, node))}"]')
    for earlier, later in graph.arcs:
        lines.append(f"    n{places[earlier]} --> n{places[later]}")
    return "\n".join([*lines, ""])


def _label(text: str) -> str:
    """Return *text* as it must stand between the quotes of a label, which may not be empty."""
    return "<br/>".join(_SPECIAL.sub(_entity, visible(line)) for line in text.split("\n")) or "#32;"


def _entity(match: re.Match[str]) -> str:
    return f"#{ord(match[0])};"
