"""The order of a graph restricted to some of its nodes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from operator import or_

from pipegen.graph.execution import ExecutionGraph


def narrowed(graph: ExecutionGraph, nodes: Sequence[str]) -> ExecutionGraph:
    """Return the order that *graph* has among *nodes*, which the result has in their order.

    Arcs between kept nodes remain. If a node is removed, its successors come after its predecessors, unless other arcs
    imply that. Computes a closure of the result.
    """
    if tuple(nodes) == graph.nodes:
        return graph
    nearest = _nearest_kept(graph, set(nodes))
    closure = ExecutionGraph(_arcs(nodes, nearest)).closure()
    needed: dict[str, Iterable[str]] = {}
    for node in nodes:
        direct, earlier = set(graph.predecessors(node)), nearest[node]
        implied = reduce(or_, map(closure.mask, earlier), 0)
        needed[node] = [node_ for node_ in earlier if node_ in direct or not implied >> closure.positions[node_] & 1]
    return ExecutionGraph(_arcs(nodes, needed))


def _nearest_kept(graph: ExecutionGraph, nodes: set[str]) -> dict[str, tuple[str, ...]]:
    """Return the nearest of *nodes* before each node."""
    nearest: dict[str, tuple[str, ...]] = {}
    for node in graph.topological():
        predecessors: dict[str, None] = {}
        for earlier in graph.predecessors(node):
            predecessors.update(dict.fromkeys((earlier,) if earlier in nodes else nearest[earlier]))
        nearest[node] = tuple(predecessors)
    return nearest


def _arcs(nodes: Sequence[str], predecessors: Mapping[str, Iterable[str]]) -> Iterator[tuple[str, ...]]:
    yield from ((node,) for node in nodes)
    yield from ((earlier, node) for node in nodes for earlier in predecessors[node])
