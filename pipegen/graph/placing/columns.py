"""Nodes in columns, one for each frame, with a bend wherever an arc passes a column."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from pipegen.graph.execution import ExecutionGraph
from pipegen.structs import Struct

Column = list[int]


class Columns(Struct, kw_only=True):
    """The nodes of a graph and the bends of its arcs, by number: nodes first, in the order told.

    All arcs of one node that pass a column share the bend there. *before* and *after* are the neighbours of each, which
    stand in the column beside its own; *chains* are the bends of each arc, and *trunks* those of all arcs of a node.
    """

    columns: tuple[Column, ...]
    before: tuple[tuple[int, ...], ...]
    after: tuple[tuple[int, ...], ...]
    chains: dict[tuple[str, str], tuple[int, ...]]
    trunks: tuple[tuple[int, ...], ...]
    nodes: int

    @property
    def size(self) -> int:
        """How much work they are: nodes and bends, or half the arcs where these are many."""
        return max(len(self.before), sum(map(len, self.after)) // 2)


def columns_of(graph: ExecutionGraph) -> Columns:
    """Return *graph* in columns; `CycleError` when it has none."""
    frames = graph.stack()
    numbers = {node: number for number, node in enumerate(graph.nodes)}
    places = {node: place for place, frame in enumerate(frames) for node in frame}
    columns = [[numbers[node] for node in frame] for frame in frames]
    bends: dict[tuple[str, int], int] = {}
    pairs: dict[tuple[int, int], None] = {}
    chains: dict[tuple[str, str], tuple[int, ...]] = {}
    for earlier, later in graph.arcs:
        chain = []
        for place in range(places[earlier] + 1, places[later]):
            if (earlier, place) not in bends:
                bends[earlier, place] = len(numbers) + len(bends)
                columns[place].append(bends[earlier, place])
            chain.append(bends[earlier, place])
        chains[earlier, later] = tuple(chain)
        whole = [numbers[earlier], *chain, numbers[later]]
        pairs.update(dict.fromkeys(pairwise(whole)))
    before: list[list[int]] = [[] for _ in range(len(numbers) + len(bends))]
    after: list[list[int]] = [[] for _ in before]
    for one, other in pairs:
        after[one].append(other)
        before[other].append(one)
    return Columns(
        columns=tuple(columns),
        before=tuple(map(tuple, before)),
        after=tuple(map(tuple, after)),
        chains=chains,
        trunks=tuple(_trunks(graph, chains)),
        nodes=len(numbers),
    )


def _trunks(graph: ExecutionGraph, chains: dict[tuple[str, str], tuple[int, ...]]) -> Iterator[tuple[int, ...]]:
    """Yield the bends of each node's longest arc: those of its other arcs are the first of these."""
    for node in graph.nodes:
        longest = max((chains[node, later] for later in graph.successors(node)), key=len, default=())
        if longest:
            yield longest
