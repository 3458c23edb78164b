"""The order of a graph restricted to some of its nodes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from operator import or_

from pipegen.graph.execution import ExecutionGraph


def narrowed(graph: ExecutionGraph, kept: Sequence[str]) -> ExecutionGraph:
    """Return the order that *graph* has among the nodes *kept*, which the result has in their order.

    Arcs between kept nodes remain. If a node is removed, its successors come after its predecessors, unless other arcs
    imply that. Computes a closure of the result.
    """
    if tuple(kept) == graph.nodes:
        return graph
    nearest = _nearest_kept(graph, set(kept))
    closure = ExecutionGraph(_arcs(kept, nearest)).closure()
    needed: dict[str, Iterable[str]] = {}
    for node in kept:
        direct, earlier = set(graph.predecessors(node)), nearest[node]
        implied = reduce(or_, map(closure.mask, earlier), 0)
        needed[node] = [node_ for node_ in earlier if node_ in direct or not implied >> closure.positions[node_] & 1]
    return ExecutionGraph(_arcs(kept, needed))


def _nearest_kept(graph: ExecutionGraph, kept: set[str]) -> dict[str, tuple[str, ...]]:
    """Return the nearest *kept* nodes before each node."""
    nearest: dict[str, tuple[str, ...]] = {}
    for node in graph.topological():
        predecessors: dict[str, None] = {}
        for earlier in graph.predecessors(node):
            predecessors.update(dict.fromkeys((earlier,) if earlier in kept else nearest[earlier]))
        nearest[node] = tuple(predecessors)
    return nearest


def _arcs(nodes: Sequence[str], predecessors: Mapping[str, Iterable[str]]) -> Iterator[tuple[str, ...]]:
    yield from ((node,) for node in nodes)
    yield from ((earlier, node) for node in nodes for earlier in predecessors[node])
