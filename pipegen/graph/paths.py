"""Paths through a graph."""

from pipegen.graph.execution import ExecutionGraph


def longest_path(graph: ExecutionGraph) -> tuple[str, ...]:
    """Return the nodes of the longest path, the first one told among equals; `CycleError` when there is none."""
    lengths: dict[str, int] = {}
    before: dict[str, str | None] = {}
    for node in graph.topological():
        earlier = max(graph.predecessors(node), key=lengths.__getitem__, default=None)
        before[node] = earlier
        lengths[node] = 1 + (lengths[earlier] if earlier is not None else 0)
    path: list[str] = []
    last = max(lengths, key=lengths.__getitem__, default=None)
    while last is not None:
        path.append(last)
        last = before[last]
    return tuple(reversed(path))
