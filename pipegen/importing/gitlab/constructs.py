"""The constructs of GitLab's files: paths of keys such as `artifacts:paths`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pipegen.source.text import Span
from pipegen.source.tree import Mapping, Node

# Keys whose maps have names of the user as keys.
_NAMED = frozenset({"variables", "inputs", "id_tokens", "secrets", "matrix"})
_FILE_KEYS = frozenset({"include", "stages", "workflow", "spec", "default", "variables"})


def constructs(trees: Iterable[Mapping]) -> Iterator[tuple[str, Span]]:
    """Yield the path and location of each key of *trees*: keys below a job, without names of the user."""
    for entry in (entry for tree in trees for entry in tree.entries):
        name = entry.key.text
        is_job = name not in _FILE_KEYS and isinstance(entry.value, Mapping)
        yield ("job" if is_job else name), entry.key.span
        prefix = "" if is_job or name == "default" else name
        yield from _inner(prefix, entry.value)


def _inner(prefix: str, node: Node) -> Iterator[tuple[str, Span]]:
    if isinstance(node, Mapping):
        is_named = prefix.rpartition(":")[2] in _NAMED
        for entry in node.entries:
            name = "NAME" if is_named else entry.key.text
            path = f"{prefix}:{name}" if prefix else name
            yield path, entry.key.span
            yield from _inner(path, entry.value)
    else:
        for item in getattr(node, "items", ()):
            yield from _inner(prefix, item)
