"""The longest path of a graph."""

from collections.abc import Mapping

from pipegen.graph.execution import ExecutionGraph


def longest_path(graph: ExecutionGraph, times: Mapping[str, float] | None = None) -> tuple[str, ...]:
    """Return the longest chain of nodes, the first among equals; an empty graph has none: ``()``.

    *times* are the durations of the nodes; without them all durations are equal.
    """
    lengths: dict[str, float] = {}
    predecessors: dict[str, str | None] = {}
    for node in graph.topological():
        earlier = max(graph.predecessors(node), key=lengths.__getitem__, default=None)
        predecessors[node] = earlier
        lengths[node] = (1 if times is None else times[node]) + (lengths[earlier] if earlier is not None else 0)
    path: list[str] = []
    last = max(lengths, key=lengths.__getitem__, default=None)
    while last is not None:
        path.append(last)
        last = predecessors[last]
    return tuple(reversed(path))


def growth(expected: int, actual: int) -> str:
    """Return a description of the growth of the longest path from *expected* to *actual* stages."""
    if actual == expected:
        return f"the longest path stays at {expected} {'stage' if expected == 1 else 'stages'}"
    return f"the longest path grows from {expected} to {actual} stages"
