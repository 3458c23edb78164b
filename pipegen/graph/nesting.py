"""How deep branches stand in each other when each node starts as soon as all before it are done.

A node is started by the last one before it to end, whichever that is in a run: in the same branch when it is the only
one that this starts, else in a branch of its own inside of that one. The answers hold for all runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import accumulate
from operator import and_

from pipegen.graph.execution import ExecutionGraph
from pipegen.graph.walk import components


def nesting(reduced: ExecutionGraph) -> dict[str, int]:
    """Return for each node in how many branches, one inside of the other, it runs at most; some run gets that deep.

    In *reduced* no arc is implied by others; where some are, the answer may be too large, and never too small.
    """
    found: dict[str, int] = {}
    at_first = int(len(reduced.roots) > 1)
    for node in reduced.topological():
        inherited = [found[one] + (reduced.out_degree(one) > 1) for one in reduced.predecessors(node)]
        found[node] = max(inherited, default=at_first)
    return found


def nesting_handed_out(reduced: ExecutionGraph) -> dict[str, int]:
    """Return the same where the last branch of several hands what it starts out to the branch around them.

    A node then stands no deeper than any node that all ways to it lead through, if all that this one has led to must
    have ended by then. No run gets deeper; of nearly all graphs some run gets that deep. In *reduced* no arc is
    implied by others. Costs a closure.
    """
    nodes = reduced.topological()
    places = {node: place for place, node in enumerate(nodes)}
    before = [[places[one] for one in reduced.predecessors(node)] for node in nodes]
    groups = _apart(before)
    # Before everything stands 0, then a start for each group of nodes that arcs join.
    first = 1 + max(groups, default=0)
    starts = [[], *([0] for _ in range(1, first))]
    shifted = ([one + first for one in earlier] or [group] for earlier, group in zip(before, groups, strict=True))
    return dict(zip(nodes, _HandedOut([*starts, *shifted], first).depths[first:], strict=True))


def _apart(before: Sequence[Sequence[int]]) -> list[int]:
    """Return a number for each node, from 1 on, the same one for those that arcs join, directly or not."""
    near = [[*earlier] for earlier in before]
    for node, earlier in enumerate(before):
        for one in earlier:
            near[one].append(node)
    found = [0] * len(before)
    for number, group in enumerate(components(near, near), 1):
        for node in group:
            found[node] = number
    return found


class _HandedOut:
    """A reduced graph by numbers in topological order, behind *first* that only start others; sets of nodes as bits."""

    def __init__(self, before: Sequence[Sequence[int]], first: int) -> None:
        self._dominator = _dominators(before)
        self._related = _related(before)
        self._everything = (1 << len(before)) - 1
        self.depths = [0] * len(before)
        # For each node, the nearest one that all ways to it lead through and that stands less deep; -1 for none.
        self._shallower = [-1] * len(before)
        after: list[list[int]] = [[] for _ in before]
        for node, earlier in enumerate(before):
            for one in earlier:
                after[one].append(node)
        for node, earlier in enumerate(before):
            if node >= first > earlier[0]:
                # All roots start together.
                self.depths[node] = min(self.depths[node], 1)
            self._look_up(node)
            self._start(after[node], node)

    def _look_up(self, node: int) -> None:
        above = self._dominator[node]
        while above >= 0 and self.depths[above] >= self.depths[node]:
            above = self._shallower[above]
        self._shallower[node] = above

    def _start(self, followers: Sequence[int], last: int) -> None:
        """Let *followers* be as deep as they get when *last* has ended as the last one before them, at least."""
        beside = self._related_beside(followers) if len(followers) > 1 else [0]
        for node, to_others in zip(followers, beside, strict=False):
            # What has no order with those two may have started and not ended, or failed.
            others = self._everything ^ (self._related[last] | self._related[node])
            depth = self._home(last, others)
            if len(followers) > 1:
                depth = max(depth, self._home(last, others & ~to_others) + 1)
            self.depths[node] = max(self.depths[node], depth)

    def _related_beside(self, followers: Sequence[int]) -> list[int]:
        """Return for each of *followers* what is related to all others of these."""
        related = [self._related[one] for one in followers]
        left = accumulate(related[:-1], and_, initial=self._everything)
        right = list(accumulate(related[:0:-1], and_, initial=self._everything))
        return list(map(and_, left, reversed(right)))

    def _home(self, last: int, others: int) -> int:
        """Return how deep the branch is that goes on after *last*, where *others* may not have ended well."""
        home = last
        above = self._shallower[home]
        # Behind its own place, what is related to a node are its descendants.
        while above >= 0 and not (self._related[above] & others) >> above:
            home, above = above, self._shallower[above]
        return self.depths[home]


def _related(before: Sequence[Sequence[int]]) -> list[int]:
    """Return for each node itself, its ancestors and its descendants."""
    found = [1 << node for node in range(len(before))]
    for node in range(len(before) - 1, 0, -1):
        for one in before[node]:
            found[one] |= found[node]
    ancestors = [0] * len(before)
    for node, earlier in enumerate(before):
        for one in earlier:
            ancestors[node] |= ancestors[one] | 1 << one
        found[node] |= ancestors[node]
    return found


def _dominators(before: Sequence[Sequence[int]]) -> list[int]:
    """Return for each node the nearest other one that all ways to it lead through; -1 for none."""
    masks, found = [1] * len(before), [-1] * len(before)
    for node in range(1, len(before)):
        common = _all_of(masks[one] for one in before[node])
        found[node] = common.bit_length() - 1
        masks[node] = common | 1 << node
    return found


def _all_of(sets: Iterable[int]) -> int:
    return reduce(and_, sets)
