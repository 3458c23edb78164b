"""Columns of nodes, one for each frame, with a bend for each arc that passes a column."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from pipegen.graph.execution import ExecutionGraph
from pipegen.structs import Struct

Column = list[int]


class Columns(Struct, kw_only=True):
    """The nodes of a graph and the bends of its arcs, by number: nodes first, in the order of the graph.

    All arcs of one node that pass a column share the bend there. *predecessors* and *successors* are the neighbours of
    each node or bend in the adjacent columns; *chains* are the bends of each arc, and *trunks* those of the longest arc
    of each node.
    """

    columns: tuple[Column, ...]
    predecessors: tuple[tuple[int, ...], ...]
    successors: tuple[tuple[int, ...], ...]
    chains: dict[tuple[str, str], tuple[int, ...]]
    trunks: tuple[tuple[int, ...], ...]
    nodes: int

    @property
    def size(self) -> int:
        """The amount of work: the number of nodes and bends, or half the number of arcs if that is more."""
        return max(len(self.predecessors), sum(map(len, self.successors)) // 2)


def columns_of(graph: ExecutionGraph) -> Columns:
    """Return *graph* in columns; raise `CycleError` if it has a cycle."""
    frames = graph.stack()
    numbers = {node: number for number, node in enumerate(graph.nodes)}
    column_of = {node: column for column, frame in enumerate(frames) for node in frame}
    columns = [[numbers[node] for node in frame] for frame in frames]
    bends: dict[tuple[str, int], int] = {}
    pairs: dict[tuple[int, int], None] = {}
    chains: dict[tuple[str, str], tuple[int, ...]] = {}
    for earlier, later in graph.arcs:
        chain = []
        for column in range(column_of[earlier] + 1, column_of[later]):
            if (earlier, column) not in bends:
                bends[earlier, column] = len(numbers) + len(bends)
                columns[column].append(bends[earlier, column])
            chain.append(bends[earlier, column])
        chains[earlier, later] = tuple(chain)
        nodes = [numbers[earlier], *chain, numbers[later]]
        pairs.update(dict.fromkeys(pairwise(nodes)))
    before: list[list[int]] = [[] for _ in range(len(numbers) + len(bends))]
    after: list[list[int]] = [[] for _ in before]
    for left, right in pairs:
        after[left].append(right)
        before[right].append(left)
    return Columns(
        columns=tuple(columns),
        predecessors=tuple(map(tuple, before)),
        successors=tuple(map(tuple, after)),
        chains=chains,
        trunks=tuple(_trunks(graph, chains)),
        nodes=len(numbers),
    )


def _trunks(graph: ExecutionGraph, chains: dict[tuple[str, str], tuple[int, ...]]) -> Iterator[tuple[int, ...]]:
    """Yield the bends of each node's longest arc, which start with the bends of its other arcs."""
    for node in graph.nodes:
        longest = max((chains[node, later] for later in graph.successors(node)), key=len, default=())
        if longest:
            yield longest
