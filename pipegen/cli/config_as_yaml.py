"""Configs written as YAML."""

from __future__ import annotations

from pipegen.emit.yaml import Value, Verbatim, write
from pipegen.source.tree import Mapping, Node, Scalar, ScalarKind, Sequence


def as_yaml(tree: Mapping) -> str:
    """Return *tree* as equivalent YAML; text stays text, and numbers keep their notation."""
    return write({entry.key.text: _value(entry.value) for entry in tree.entries})


def _value(node: Node) -> Value:
    match node:
        case Scalar(kind=ScalarKind.TEXT):
            return node.text
        case Scalar(kind=ScalarKind.NULL):
            return None
        case Scalar(kind=ScalarKind.NUMBER) if node.text.lstrip("+-").replace("_", "").isdigit():
            # Without the tag, it would be an integer.
            return Verbatim(f"!!float {node.text}")
        case Scalar():
            return Verbatim(node.text)
        case Sequence():
            return [_value(item) for item in node.items]
        case Mapping():
            return {entry.key.text: _value(entry.value) for entry in node.entries}
