"""The longest path of a graph: how long it takes at best when all nodes take alike."""

from collections.abc import Mapping

from pipegen.graph.execution import ExecutionGraph


def longest_path(graph: ExecutionGraph, times: Mapping[str, float] | None = None) -> tuple[str, ...]:
    """Return the longest chain of nodes, the first in the order told among equals; an empty graph has none: ``()``.

    *times* say how long each node takes; without them all take alike.
    """
    lengths: dict[str, float] = {}
    before: dict[str, str | None] = {}
    for node in graph.topological():
        earlier = max(graph.predecessors(node), key=lengths.__getitem__, default=None)
        before[node] = earlier
        lengths[node] = (1 if times is None else times[node]) + (lengths[earlier] if earlier is not None else 0)
    path: list[str] = []
    last = max(lengths, key=lengths.__getitem__, default=None)
    while last is not None:
        path.append(last)
        last = before[last]
    return tuple(reversed(path))


def growth(asked: int, made: int) -> str:
    """Return what becomes of a longest path of *asked* stages that is one of *made* with added waits."""
    if made == asked:
        return f"the longest path stays at {asked} {'stage' if asked == 1 else 'stages'}"
    return f"the longest path grows from {asked} to {made} stages"
