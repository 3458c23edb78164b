"""Merges two maps; values of the second win."""

from __future__ import annotations

from pipegen.source.tree import Entry, Mapping, Node, Scalar, ScalarKind


def merge_maps(lower: Mapping, upper: Mapping) -> Mapping:
    """Return *lower* overridden by *upper*: maps are merged key by key, all other values are replaced.

    A key without a value in *upper* removes the lower entry; without a lower entry, it stays. An operator, such as
    `$merge`, is replaced as a whole. Keys keep the order of their first use.
    """
    entries = {entry.key.text: entry for entry in lower.entries}
    for entry in upper.entries:
        lower_entry = entries.get(entry.key.text)
        if lower_entry is not None and is_null(entry.value):
            del entries[entry.key.text]
        elif lower_entry is not None and _is_map(lower_entry.value) and _is_map(entry.value):
            entries[entry.key.text] = Entry(entry.key, _merged(lower_entry.value, entry.value))
        else:
            entries[entry.key.text] = entry
    return Mapping(tuple(entries.values()), upper.span)


def is_null(node: Node) -> bool:
    """Return whether *node* is a missing value or an explicit null."""
    return isinstance(node, Scalar) and node.kind is ScalarKind.NULL


def _merged(lower: Node, upper: Node) -> Node:
    return merge_maps(lower, upper) if isinstance(lower, Mapping) and isinstance(upper, Mapping) else upper


def _is_map(node: Node) -> bool:
    return isinstance(node, Mapping) and not any(node.entry(operator) for operator in ("$each", "$merge"))
