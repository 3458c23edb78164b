"""Two maps to one, of which the second has the last word."""

from __future__ import annotations

from pipegen.source.tree import Entry, Mapping, Node, Scalar, ScalarKind


def merged(lower: Mapping, upper: Mapping) -> Mapping:
    """Return *lower* with what *upper* says: maps are merged key by key, all else is replaced.

    A key that has no value in *upper* takes the lower one away; where there is none, it stays. An operator, such as
    `$merge`, is a value, and no map. Keys keep the order in which they come first.
    """
    entries = {entry.key.text: entry for entry in lower.entries}
    for entry in upper.entries:
        below = entries.get(entry.key.text)
        if below is not None and is_null(entry.value):
            del entries[entry.key.text]
        elif below is not None and _is_map(below.value) and _is_map(entry.value):
            entries[entry.key.text] = Entry(entry.key, _merged(below.value, entry.value))
        else:
            entries[entry.key.text] = entry
    return Mapping(tuple(entries.values()), upper.span)


def is_null(node: Node) -> bool:
    """Return whether *node* is a key's missing value, or null in so many words."""
    return isinstance(node, Scalar) and node.kind is ScalarKind.NULL


def _merged(lower: Node, upper: Node) -> Node:
    return merged(lower, upper) if isinstance(lower, Mapping) and isinstance(upper, Mapping) else upper


def _is_map(node: Node) -> bool:
    return isinstance(node, Mapping) and not any(node.entry(operator) for operator in ("$each", "$merge"))
