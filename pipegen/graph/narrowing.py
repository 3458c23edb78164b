"""The order that a graph has among some of its nodes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from operator import or_

from pipegen.graph.execution import ExecutionGraph


def narrowed(graph: ExecutionGraph, kept: Sequence[str]) -> ExecutionGraph:
    """Return the order that *graph* has among the nodes *kept*, told in their order.

    Arcs between kept nodes stay. Where a node is left out, its followers come after what it came after, unless other
    arcs say so anyway. Costs a closure of the result.
    """
    if tuple(kept) == graph.nodes:
        return graph
    before = _before(graph, set(kept))
    closure = ExecutionGraph(_arcs(kept, before)).closure()
    needed: dict[str, Iterable[str]] = {}
    for node in kept:
        direct, earlier = set(graph.predecessors(node)), before[node]
        implied = reduce(or_, map(closure.mask, earlier), 0)
        needed[node] = [one for one in earlier if one in direct or not implied >> closure.positions[one] & 1]
    return ExecutionGraph(_arcs(kept, needed))


def _before(graph: ExecutionGraph, kept: set[str]) -> dict[str, tuple[str, ...]]:
    """Return for each node the nearest ones before it that are *kept*, however far."""
    before: dict[str, tuple[str, ...]] = {}
    for node in graph.topological():
        found: dict[str, None] = {}
        for earlier in graph.predecessors(node):
            found.update(dict.fromkeys((earlier,) if earlier in kept else before[earlier]))
        before[node] = tuple(found)
    return before


def _arcs(nodes: Sequence[str], before: Mapping[str, Iterable[str]]) -> Iterator[tuple[str, ...]]:
    yield from ((node,) for node in nodes)
    yield from ((earlier, node) for node in nodes for earlier in before[node])
