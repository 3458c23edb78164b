"""The depth of nested parallel branches if each node starts as soon as all its predecessors are done.

The last predecessor to finish starts a node: in its own branch if it starts only that node, else in a branch nested in
its own. Which predecessor is last depends on the run; the results hold for all runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import accumulate
from operator import and_

from pipegen.graph.execution import ExecutionGraph
from pipegen.graph.walk import components, opposite


def nesting(reduced: ExecutionGraph) -> dict[str, int]:
    """Return the largest depth of nested branches in which each node runs; some run reaches it.

    *reduced* must have no implied arcs; with some, the result may be too large, but never too small.
    """
    depths: dict[str, int] = {}
    at_first = int(len(reduced.roots) > 1)
    for node in reduced.topological():
        inherited = [
            depths[predecessor] + (reduced.out_degree(predecessor) > 1) for predecessor in reduced.predecessors(node)
        ]
        depths[node] = max(inherited, default=at_first)
    return depths


def nesting_handed_out(reduced: ExecutionGraph) -> dict[str, int]:
    """Return the same if the last of several branches passes the nodes that it starts to the enclosing branch.

    A node is then no deeper than any of its dominators, provided that all nodes after that dominator which lead to it
    have finished. No run gets deeper; for nearly all graphs some run reaches the depth. *reduced* must have no implied
    arcs. Computes a closure.
    """
    nodes = reduced.topological()
    positions = {node: position for position, node in enumerate(nodes)}
    predecessors = [[positions[predecessor] for predecessor in reduced.predecessors(node)] for node in nodes]
    groups = _groups(predecessors)
    # Node 0 is before all others, followed by a start node for each connected group.
    first = 1 + max(groups, default=0)
    starts = [[], *([0] for _ in range(1, first))]
    shifted = (
        [predecessor + first for predecessor in earlier] or [group]
        for earlier, group in zip(predecessors, groups, strict=True)
    )
    return dict(zip(nodes, _HandedOut([*starts, *shifted], first).depths[first:], strict=True))


def _groups(predecessors: Sequence[Sequence[int]]) -> list[int]:
    """Return the number, from 1, of the connected group of each node."""
    neighbours = [[*earlier] for earlier in predecessors]
    for node, earlier in enumerate(predecessors):
        for other in earlier:
            neighbours[other].append(node)
    numbers = [0] * len(predecessors)
    for number, group in enumerate(components(neighbours, neighbours), 1):
        for node in group:
            numbers[node] = number
    return numbers


class _HandedOut:
    """A reduced graph of numbers in topological order; nodes before *first* only start others; node sets are bits."""

    def __init__(self, predecessors: Sequence[Sequence[int]], first: int) -> None:
        self._dominator = _dominators(predecessors)
        self._related = _related(predecessors)
        self._everything = (1 << len(predecessors)) - 1
        self.depths = [0] * len(predecessors)
        # For each node, its nearest dominator with a smaller depth; -1 for none.
        self._shallower = [-1] * len(predecessors)
        successors = opposite(predecessors)
        for node, earlier in enumerate(predecessors):
            if node >= first > earlier[0]:
                # All roots start together.
                self.depths[node] = min(self.depths[node], 1)
            self._find_shallower(node)
            self._deepen(successors[node], node)

    def _find_shallower(self, node: int) -> None:
        dominator = self._dominator[node]
        while dominator >= 0 and self.depths[dominator] >= self.depths[node]:
            dominator = self._shallower[dominator]
        self._shallower[node] = dominator

    def _deepen(self, followers: Sequence[int], last: int) -> None:
        """Make *followers* at least as deep as they are when *last* is their last predecessor to finish."""
        related_to_others = self._related_to_others(followers) if len(followers) > 1 else [0]
        for node, related in zip(followers, related_to_others, strict=False):
            # A node without order to these two may have started and not finished, or failed.
            others = self._everything ^ (self._related[last] | self._related[node])
            depth = self._home(last, others)
            if len(followers) > 1:
                depth = max(depth, self._home(last, others & ~related) + 1)
            self.depths[node] = max(self.depths[node], depth)

    def _related_to_others(self, followers: Sequence[int]) -> list[int]:
        """Return, for each of *followers*, the nodes related to all the others."""
        related = [self._related[follower] for follower in followers]
        left = accumulate(related[:-1], and_, initial=self._everything)
        right = list(accumulate(related[:0:-1], and_, initial=self._everything))
        return list(map(and_, left, reversed(right)))

    def _home(self, last: int, others: int) -> int:
        """Return the depth of the branch that continues after *last*, where *others* may not have succeeded."""
        home = last
        dominator = self._shallower[home]
        # The related nodes after a node are its descendants.
        while dominator >= 0 and not (self._related[dominator] & others) >> dominator:
            home, dominator = dominator, self._shallower[dominator]
        return self.depths[home]


def _related(predecessors: Sequence[Sequence[int]]) -> list[int]:
    """Return each node with its ancestors and descendants, as bits."""
    related = [1 << node for node in range(len(predecessors))]
    for node in range(len(predecessors) - 1, 0, -1):
        for predecessor in predecessors[node]:
            related[predecessor] |= related[node]
    ancestors = [0] * len(predecessors)
    for node, earlier in enumerate(predecessors):
        for predecessor in earlier:
            ancestors[node] |= ancestors[predecessor] | 1 << predecessor
        related[node] |= ancestors[node]
    return related


def _dominators(predecessors: Sequence[Sequence[int]]) -> list[int]:
    """Return the immediate dominator of each node; -1 for none."""
    masks, dominators = [1] * len(predecessors), [-1] * len(predecessors)
    for node in range(1, len(predecessors)):
        common = _all_of(masks[predecessor] for predecessor in predecessors[node])
        dominators[node] = common.bit_length() - 1
        masks[node] = common | 1 << node
    return dominators


def _all_of(sets: Iterable[int]) -> int:
    return reduce(and_, sets)
