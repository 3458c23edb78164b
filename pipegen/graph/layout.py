"""The cheapest blocks for a graph that no blocks say exactly.

Cheap is measured twice: first by the longest path, the sum over all blocks of their longest chains; among equals, by
the pairs of nodes that are put in order without need. Of a small part's blocks that cost the same, those are taken that
frames would not beat, whatever nodes take. Blocks of a graph are cut where it is cut itself, so each part between two
clean cuts is laid out alone. A part with few sets of nodes that may be done at one time is searched whole. For others
the blocks are runs of a linear order, which are searched whole too; several orders are tried, and then nodes move
between blocks as long as that gains something.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from pipegen.graph.blocks import Block, chains, parts
from pipegen.graph.execution import ExecutionGraph
from pipegen.graph.walk import Neighbours
from pipegen.structs import Struct

# A part with more sets that may be done is not searched whole.
_FEW_IDEALS = 160
# How often all nodes of a part are tried in other blocks.
_ROUNDS = 4

# Longest path, then pairs that stay free (negative): less is better.
_Cost = tuple[float, int]


def cheapest_blocks(graph: ExecutionGraph, durations: Mapping[str, float] | None = None) -> tuple[Block, ...]:
    """Return blocks that keep the order of *graph* and cost little: exact ones wherever there are some.

    *durations* are those of the nodes; each takes 1 where nothing is said. Linear for parts that chains say exactly,
    about quadratic in the size of the largest part that none do.
    """
    known = durations or {}
    return tuple(block for part in parts(graph) for block in _laid_out(part, graph, known))


def _laid_out(part: Sequence[str], graph: ExecutionGraph, durations: Mapping[str, float]) -> tuple[Block, ...]:
    exact = chains(part, graph)
    if exact is not None:
        return (exact,)
    places = {node: place for place, node in enumerate(part)}
    before = [[places[one] for one in graph.predecessors(node) if one in places] for node in part]
    layout = _Layout.of(before, [durations.get(node, 1) for node in part])
    found = layout.searched() or layout.approached()
    return tuple(tuple(tuple(part[place] for place in chain) for chain in layout.chains(block)) for block in found)


class _Layout(Struct):
    """A part of a graph by numbers, in an order that its arcs allow; *weights* are durations."""

    before: Neighbours
    after: Neighbours
    weights: Sequence[float]

    @classmethod
    def of(cls, before: Neighbours, weights: Sequence[float]) -> _Layout:
        after: list[list[int]] = [[] for _ in before]
        for node, earlier in enumerate(before):
            for one in earlier:
                after[one].append(node)
        return cls(before, after, weights)

    # Cost

    def chains(self, block: Iterable[int]) -> list[list[int]]:
        """Return the chains of *block*: nodes that an arc joins stand in one, in an order that the arcs allow."""
        nodes = sorted(block)
        inside, seen, found = set(nodes), set[int](), []
        for start in nodes:
            if start in seen:
                continue
            chain, waiting = [], [start]
            seen.add(start)
            while waiting:
                node = waiting.pop()
                chain.append(node)
                for one in (*self.before[node], *self.after[node]):
                    if one in inside and one not in seen:
                        seen.add(one)
                        waiting.append(one)
            found.append(sorted(chain))
        return found

    def cost(self, block: Iterable[int]) -> _Cost:
        """Return what *block* costs."""
        found = self.chains(block)
        size = sum(map(len, found))
        free = size * (size - 1) // 2 - sum(len(chain) * (len(chain) - 1) // 2 for chain in found)
        return max((sum(self.weights[node] for node in chain) for chain in found), default=0), -free

    def total(self, found: Iterable[Iterable[int]]) -> _Cost:
        """Return what the blocks *found* cost together."""
        costs = [self.cost(block) for block in found]
        return sum(cost for cost, _ in costs), sum(free for _, free in costs)

    # A small part: all that there is

    def searched(self) -> list[list[int]] | None:
        """Return the cheapest blocks of all; None where there are too many to look at."""
        ideals = self._ideals()
        if ideals is None:
            return None
        frames = _Frames(self._steps())
        costs: dict[int, tuple[_Cost, int]] = {}
        best: dict[int, tuple[_Cost, int, int]] = {0: ((0, 0), 0, 0)}
        for done in ideals[1:]:
            options = []
            for earlier in ideals:
                if earlier & done == earlier and earlier != done:
                    block = done & ~earlier
                    if block not in costs:
                        members = _members(block)
                        costs[block] = self.cost(members), frames.strange_within(self.chains(members))
                    cost, strange = costs[block]
                    strange += best[earlier][1] + frames.strange(earlier, block)
                    options.append((_sum(best[earlier][0], cost), strange, earlier))
            best[done] = min(options)
        found, done = [], ideals[-1]
        while done:
            earlier = best[done][2]
            found.append(_members(done & ~earlier))
            done = earlier
        return found[::-1]

    def _ideals(self) -> list[int] | None:
        """Return all sets of nodes that hold what comes before their members, smaller ones first; None for too many."""
        wanted = [sum(1 << one for one in set(earlier)) for earlier in self.before]
        found: dict[int, None] = {0: None}
        level = [0]
        while level:
            larger: dict[int, None] = {}
            for done in level:
                for node, needed in enumerate(wanted):
                    if not done >> node & 1 and needed & done == needed:
                        larger[done | 1 << node] = None
            found |= larger
            if len(found) > _FEW_IDEALS:
                return None
            level = list(larger)
        return list(found)

    # A large part: runs of linear orders

    def approached(self) -> list[list[int]]:
        """Return cheap blocks: the best runs of several orders, then improved; frames at worst."""
        early = self._starts(self.before, range(len(self.before)))
        late = self._starts(self.after, range(len(self.before) - 1, -1, -1))
        frames = self._steps()
        best = _grouped(frames)
        for key in self._keys(early, late, frames):
            order = sorted(range(len(self.before)), key=key)
            found = self._runs(order, late, self.total(best)[0])
            if found is not None and self.total(found) < self.total(best):
                best = found
        return self._improved(best)

    def _keys(
        self, early: Sequence[float], late: Sequence[float], frames: Sequence[int]
    ) -> Iterator[Callable[[int], tuple[float, ...]]]:
        """Yield orders by what they sort by; all of them put a node after those that it waits for."""
        longest = max(one + rest for one, rest in zip(early, late, strict=True))
        latest = [longest - rest - weight for rest, weight in zip(late, self.weights, strict=True)]
        yield lambda node: (early[node], frames[node], latest[node], node)
        yield lambda node: (latest[node], frames[node], early[node], node)
        yield lambda node: (early[node] + latest[node], frames[node], node)
        yield lambda node: (frames[node], latest[node], node)
        yield lambda node: (frames[node], -latest[node], node)

    def _starts(self, before: Neighbours, order: Iterable[int]) -> list[float]:
        """Return the longest path before each node, along *before*."""
        found: list[float] = [0] * len(before)
        for node in order:
            found[node] = max((found[one] + self.weights[one] for one in before[node]), default=0)
        return found

    def _steps(self) -> list[int]:
        found = [0] * len(self.before)
        for node, earlier in enumerate(self.before):
            found[node] = max((found[one] + 1 for one in earlier), default=0)
        return found

    def _runs(self, order: Sequence[int], late: Sequence[float], bound: float) -> list[list[int]] | None:
        """Return the cheapest cut of *order* into runs, None when each costs more than *bound*.

        *late* is the longest path after each node.
        """
        rest = [0.0] * (len(order) + 1)
        for place in range(len(order) - 1, -1, -1):
            node = order[place]
            rest[place] = max(rest[place + 1], late[node] + self.weights[node])
        best: list[tuple[_Cost, int] | None] = [((0, 0), 0), *[None] * len(order)]
        for start in range(len(order)):
            reached = best[start]
            if reached is None:
                continue
            run = _Run(self)
            for end in range(start + 1, len(order) + 1):
                run.add(order[end - 1])
                cost = _sum(reached[0], run.cost)
                if cost[0] + rest[end] > bound + 1e-9 * bound:
                    if reached[0][0] + run.cost[0] > bound:
                        break
                    continue
                known = best[end]
                if known is None or cost < known[0]:
                    best[end] = (cost, start)
        return _cut(order, best)

    def _improved(self, found: list[list[int]]) -> list[list[int]]:
        """Return *found* after moves of single nodes to other blocks, each of which gains something."""
        blocks = [set(block) for block in found]
        home = {node: number for number, block in enumerate(blocks) for node in block}
        costs = [self.cost(block) for block in blocks]
        for _ in range(_ROUNDS):
            if not sum(self._moves(node, blocks, home, costs) for node in range(len(self.before))):
                break
        return [sorted(block) for block in blocks if block]

    def _moves(self, node: int, blocks: list[set[int]], home: dict[int, int], costs: list[_Cost]) -> bool:
        """Move *node* to the block where all gets cheapest; return whether another one was better."""
        own = home[node]
        first = max((home[one] for one in self.before[node]), default=0)
        last = min((home[one] for one in self.after[node]), default=len(blocks) - 1)
        left = self.cost(blocks[own] - {node})
        best, place = _sum((0, 0), costs[own]), own
        for other in range(first, last + 1):
            if other == own:
                continue
            # What both blocks cost, less what the other one costs now.
            joined = self.cost(blocks[other] | {node})
            gained = (left[0] + joined[0] - costs[other][0], left[1] + joined[1] - costs[other][1])
            if gained < best:
                best, place = gained, other
        if place == own:
            return False
        blocks[own].remove(node)
        blocks[place].add(node)
        home[node] = place
        costs[own], costs[place] = left, self.cost(blocks[place])
        return True


class _Frames:
    """Counts pairs in order that frames do not put in order: blocks without any are never slower than frames."""

    def __init__(self, steps: Sequence[int]) -> None:
        self._steps = steps
        self._from = [sum(1 << node for node, own in enumerate(steps) if own >= step) for step in range(max(steps) + 1)]

    def strange(self, earlier: int, block: int) -> int:
        """Return how many pairs of a node of *block* and one of *earlier*, which comes before, are strange."""
        return sum((earlier & self._from[self._steps[node]]).bit_count() for node in _members(block))

    def strange_within(self, chains: Iterable[Iterable[int]]) -> int:
        """Return how many pairs within *chains* are strange."""
        steps = (Counter(self._steps[node] for node in chain) for chain in chains)
        return sum(count * (count - 1) // 2 for found in steps for count in found.values())


class _Run:
    """A block that grows along an order, and its cost."""

    def __init__(self, layout: _Layout) -> None:
        self._layout = layout
        self._heads: dict[int, int] = {}
        self._sums: dict[int, tuple[float, int]] = {}
        self._longest = 0.0
        self._free = 0

    @property
    def cost(self) -> _Cost:
        return self._longest, -self._free

    def add(self, node: int) -> None:
        """Add *node*, whose predecessors are here or in earlier blocks."""
        size, weight, others = 1, self._layout.weights[node], len(self._heads)
        for head in {self._head(one) for one in self._layout.before[node] if one in self._heads}:
            more, count = self._sums.pop(head)
            # Its nodes now stand in one chain with those that have come together so far.
            self._free -= count * (size - 1)
            others -= count
            weight, size = weight + more, size + count
            self._heads[head] = node
        self._free += others
        self._heads[node] = node
        self._sums[node] = (weight, size)
        self._longest = max(self._longest, weight)

    def _head(self, node: int) -> int:
        while (head := self._heads[node]) != node:
            self._heads[node] = self._heads[head]
            node = head
        return node


def _sum(one: _Cost, other: _Cost) -> _Cost:
    return one[0] + other[0], one[1] + other[1]


def _members(mask: int) -> list[int]:
    return [place for place in range(mask.bit_length()) if mask >> place & 1]


def _grouped(numbers: Sequence[int]) -> list[list[int]]:
    """Return the places of *numbers*, equal ones together, in the order of the numbers."""
    found: list[list[int]] = [[] for _ in range(max(numbers) + 1)]
    for place, number in enumerate(numbers):
        found[number].append(place)
    return found


def _cut(order: Sequence[int], best: Sequence[tuple[_Cost, int] | None]) -> list[list[int]] | None:
    """Return the runs of *order* that *best* tells, the last one first in it."""
    end, found = len(order), []
    if best[end] is None:
        return None
    while end:
        one = best[end]
        start = one[1] if one else 0
        found.append(list(order[start:end]))
        end = start
    return found[::-1]
