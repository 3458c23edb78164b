"""Merges two maps; values of the second win."""

from __future__ import annotations

from pipegen.config.keys import STAGE_KEYS
from pipegen.source.tree import Entry, Mapping, Node, Scalar, Sequence, as_items, is_null

_JOINED = frozenset(key.name for key in STAGE_KEYS if key.is_joined)
_ARTIFACTS, _PATHS = "artifacts", "paths"


def merge_stages(lower: Mapping, upper: Mapping) -> Mapping:
    """Return *lower* overridden by *upper*, both stages or templates; commands of joined keys are those of both.

    A list of artifacts stands for a map with these paths: what another layer says of them also applies to it.
    """
    merged = merge_maps(_with_paths(lower, upper), _with_paths(upper, lower))
    return Mapping(tuple([_joined(entry, lower) for entry in merged.entries]), merged.span)


def _with_paths(stage: Mapping, other: Mapping) -> Mapping:
    """Return *stage* with its list of artifacts as a map if *other* has a map of artifacts."""
    own, others = stage.entry(_ARTIFACTS), other.get(_ARTIFACTS)
    if own is None or not isinstance(own.value, Sequence) or others is None or not _is_map(others):
        return stage
    paths = Mapping((Entry(Scalar(_PATHS, own.key.span), own.value),), own.value.span)
    return Mapping(tuple(Entry(own.key, paths) if entry is own else entry for entry in stage.entries), stage.span)


def _joined(entry: Entry, lower: Mapping) -> Entry:
    """Return *entry* of merged stages, with the commands of *lower* first if they are joined."""
    inherited = lower.entry(entry.key.text) if entry.key.text in _JOINED else None
    if inherited is None or inherited is entry or is_null(inherited.value):
        return entry
    commands = (*as_items(inherited.value), *as_items(entry.value))
    return Entry(entry.key, Sequence(commands, entry.value.span))


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


def _merged(lower: Node, upper: Node) -> Node:
    return merge_maps(lower, upper) if isinstance(lower, Mapping) and isinstance(upper, Mapping) else upper


def _is_map(node: Node) -> bool:
    return isinstance(node, Mapping) and not any(node.entry(operator) for operator in ("$each", "$merge"))
