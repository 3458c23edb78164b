"""The cheapest blocks for a graph whose order no blocks express exactly.

Cost has two parts: first the longest path, the sum over all blocks of their longest chains; then the number of pairs
that are ordered unnecessarily. Of the blocks of a small part with equal cost, the ones are chosen that are never slower
than frames, whatever the durations. Blocks are cut where the graph has clean cuts, so each part between two cuts is
independent. A part with few down-sets (sets of nodes that may be done at one time) is searched exhaustively. For
others, blocks are runs of a linear order, with an optimal split into runs; several orders are tried, and then nodes
move between blocks while that improves the cost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from pipegen.graph.blocks import Block, chains, parts
from pipegen.graph.execution import ExecutionGraph
from pipegen.graph.walk import Neighbours, opposite
from pipegen.structs import Struct

# The most down-sets of a part that is searched exhaustively.
_MAX_DOWN_SETS = 160
# How often all nodes of a part are tried in other blocks.
_ROUNDS = 4

# Longest path, then the negated number of unordered pairs: less is better.
_Cost = tuple[int, int]


def cheapest_blocks(graph: ExecutionGraph) -> tuple[Block, ...]:
    """Return blocks that keep the order of *graph* at the lowest cost found; exact blocks if there are any.

    Linear for parts with exact blocks, about quadratic in the size of the largest other part.
    """
    return tuple(block for part in parts(graph) for block in _part_blocks(part, graph))


def _part_blocks(part: Sequence[str], graph: ExecutionGraph) -> tuple[Block, ...]:
    exact = chains(part, graph)
    if exact is not None:
        return (exact,)
    positions = {node: position for position, node in enumerate(part)}
    predecessors = [
        [positions[predecessor] for predecessor in graph.predecessors(node) if predecessor in positions]
        for node in part
    ]
    layout = _Layout(predecessors, opposite(predecessors))
    part_blocks = layout.exhaustive() or layout.approximate()
    return tuple(
        tuple(tuple(part[position] for position in chain) for chain in layout.chains(block)) for block in part_blocks
    )


class _Layout(Struct):
    """A part of a graph with numbered nodes, in an order that its arcs allow."""

    predecessors: Neighbours
    successors: Neighbours

    # Cost

    def chains(self, block: Iterable[int]) -> list[list[int]]:
        """Return the chains of *block*: nodes joined by arcs, in an order that the arcs allow."""
        nodes = sorted(block)
        inside, visited, result = set(nodes), set[int](), []
        for start in nodes:
            if start in visited:
                continue
            chain, waiting = [], [start]
            visited.add(start)
            while waiting:
                node = waiting.pop()
                chain.append(node)
                for neighbour in (*self.predecessors[node], *self.successors[node]):
                    if neighbour in inside and neighbour not in visited:
                        visited.add(neighbour)
                        waiting.append(neighbour)
            result.append(sorted(chain))
        return result

    def cost(self, block: Iterable[int]) -> _Cost:
        """Return the cost of *block*."""
        chains = self.chains(block)
        size = sum(map(len, chains))
        free = size * (size - 1) // 2 - sum(len(chain) * (len(chain) - 1) // 2 for chain in chains)
        return max(map(len, chains), default=0), -free

    def total(self, blocks: Iterable[Iterable[int]]) -> _Cost:
        """Return the total cost of *blocks*."""
        costs = [self.cost(block) for block in blocks]
        return sum(cost for cost, _ in costs), sum(free for _, free in costs)

    # A small part: exhaustive search

    def exhaustive(self) -> list[list[int]] | None:
        """Return the cheapest of all blocks; None if there are too many."""
        down_sets = self._down_sets()
        if down_sets is None:
            return None
        frames = _Frames(self._frames())
        costs: dict[int, tuple[_Cost, int]] = {}
        best: dict[int, tuple[_Cost, int, int]] = {0: ((0, 0), 0, 0)}
        for done in down_sets[1:]:
            options = []
            for earlier in down_sets:
                if earlier & done == earlier and earlier != done:
                    block = done & ~earlier
                    if block not in costs:
                        members = _bits_set(block)
                        costs[block] = self.cost(members), frames.unordered_within(self.chains(members))
                    cost, unordered = costs[block]
                    unordered += best[earlier][1] + frames.unordered(earlier, block)
                    options.append((_sum(best[earlier][0], cost), unordered, earlier))
            best[done] = min(options)
        blocks, done = [], down_sets[-1]
        while done:
            earlier = best[done][2]
            blocks.append(_bits_set(done & ~earlier))
            done = earlier
        return blocks[::-1]

    def _down_sets(self) -> list[int] | None:
        """Return all sets of nodes that contain the predecessors of their members, smaller ones first.

        Return None if there are too many.
        """
        predecessor_masks = [sum(1 << predecessor for predecessor in set(earlier)) for earlier in self.predecessors]
        down_sets: dict[int, None] = {0: None}
        level = [0]
        while level:
            larger: dict[int, None] = {}
            for done in level:
                for node, needed in enumerate(predecessor_masks):
                    if not done >> node & 1 and needed & done == needed:
                        larger[done | 1 << node] = None
            down_sets |= larger
            if len(down_sets) > _MAX_DOWN_SETS:
                return None
            level = list(larger)
        return list(down_sets)

    # A large part: runs of linear orders

    def approximate(self) -> list[list[int]]:
        """Return cheap blocks: the best runs of several orders, then improved; at worst the frames."""
        frames = self._frames()
        tails = _levels(self.successors, range(len(self.successors) - 1, -1, -1))
        best = _grouped(frames)
        for key in _keys(frames, tails):
            order = sorted(range(len(self.predecessors)), key=key)
            runs = self._runs(order, tails, self.total(best)[0])
            if runs is not None and self.total(runs) < self.total(best):
                best = runs
        return self._improved(best)

    def _frames(self) -> list[int]:
        return _levels(self.predecessors, range(len(self.predecessors)))

    def _runs(self, order: Sequence[int], tails: Sequence[int], bound: int) -> list[list[int]] | None:
        """Return the cheapest split of *order* into runs, or None if each split costs more than *bound*.

        *tails* holds the length of the longest path after each node.
        """
        rest = [0] * (len(order) + 1)
        for position in range(len(order) - 1, -1, -1):
            node = order[position]
            rest[position] = max(rest[position + 1], tails[node] + 1)
        best: list[tuple[_Cost, int] | None] = [((0, 0), 0), *[None] * len(order)]
        for start in range(len(order)):
            reached = best[start]
            if reached is None:
                continue
            run = _Run(self)
            for end in range(start + 1, len(order) + 1):
                run.add(order[end - 1])
                cost = _sum(reached[0], run.cost)
                if cost[0] + rest[end] > bound:
                    if reached[0][0] + run.cost[0] > bound:
                        break
                    continue
                current = best[end]
                if current is None or cost < current[0]:
                    best[end] = (cost, start)
        return _cut(order, best)

    def _improved(self, initial: list[list[int]]) -> list[list[int]]:
        """Return *initial* after moves of single nodes to other blocks, each of which lowers the cost."""
        blocks = [set(block) for block in initial]
        block_of = {node: number for number, block in enumerate(blocks) for node in block}
        costs = [self.cost(block) for block in blocks]
        for _ in range(_ROUNDS):
            if not sum(self._moves(node, blocks, block_of, costs) for node in range(len(self.predecessors))):
                break
        return [sorted(block) for block in blocks if block]

    def _moves(self, node: int, blocks: list[set[int]], block_of: dict[int, int], costs: list[_Cost]) -> bool:
        """Move *node* to the block with the lowest total cost; return whether it moved."""
        own = block_of[node]
        first = max((block_of[neighbour] for neighbour in self.predecessors[node]), default=0)
        last = min((block_of[neighbour] for neighbour in self.successors[node]), default=len(blocks) - 1)
        without_node = self.cost(blocks[own] - {node})
        best, target = _sum((0, 0), costs[own]), own
        for candidate in range(first, last + 1):
            if candidate == own:
                continue
            # The cost of both blocks, less the current cost of the other one.
            with_node = self.cost(blocks[candidate] | {node})
            change = (
                without_node[0] + with_node[0] - costs[candidate][0],
                without_node[1] + with_node[1] - costs[candidate][1],
            )
            if change < best:
                best, target = change, candidate
        if target == own:
            return False
        blocks[own].remove(node)
        blocks[target].add(node)
        block_of[node] = target
        costs[own], costs[target] = without_node, self.cost(blocks[target])
        return True


class _Frames:
    """Counts ordered pairs that frames do not order: blocks without any are never slower than frames."""

    def __init__(self, steps: Sequence[int]) -> None:
        self._steps = steps
        self._from = [sum(1 << node for node, own in enumerate(steps) if own >= step) for step in range(max(steps) + 1)]

    def unordered(self, earlier: int, block: int) -> int:
        """Return the number of pairs of a node in *earlier* and one in *block* that frames do not order."""
        return sum((earlier & self._from[self._steps[node]]).bit_count() for node in _bits_set(block))

    def unordered_within(self, chains: Iterable[Iterable[int]]) -> int:
        """Return the number of pairs within *chains* that frames do not order."""
        steps = (Counter(self._steps[node] for node in chain) for chain in chains)
        return sum(count * (count - 1) // 2 for counts in steps for count in counts.values())


class _Run:
    """A growing block of consecutive nodes of an order, and its cost."""

    def __init__(self, layout: _Layout) -> None:
        self._layout = layout
        self._heads: dict[int, int] = {}
        self._sizes: dict[int, int] = {}
        self._longest = 0
        self._free = 0

    @property
    def cost(self) -> _Cost:
        return self._longest, -self._free

    def add(self, node: int) -> None:
        """Add *node*, whose predecessors are in this block or an earlier one."""
        size, unmerged = 1, len(self._heads)
        for head in {
            self._head(predecessor) for predecessor in self._layout.predecessors[node] if predecessor in self._heads
        }:
            count = self._sizes.pop(head)
            # Its nodes join the chain of the nodes merged so far.
            self._free -= count * (size - 1)
            unmerged -= count
            size += count
            self._heads[head] = node
        self._free += unmerged
        self._heads[node] = node
        self._sizes[node] = size
        self._longest = max(self._longest, size)

    def _head(self, node: int) -> int:
        while (head := self._heads[node]) != node:
            self._heads[node] = self._heads[head]
            node = head
        return node


def _keys(frames: Sequence[int], tails: Sequence[int]) -> Iterator[Callable[[int], tuple[int, ...]]]:
    """Yield the sort keys of orders; all of them put a node after its predecessors."""
    yield lambda node: (frames[node], -tails[node], node)
    yield lambda node: (-tails[node], frames[node], node)
    yield lambda node: (frames[node] - tails[node], frames[node], node)
    yield lambda node: (frames[node], tails[node], node)


def _levels(predecessors: Neighbours, order: Iterable[int]) -> list[int]:
    """Return the length of the longest path to each node, along *predecessors*; *order* puts them first."""
    levels = [0] * len(predecessors)
    for node in order:
        levels[node] = max((levels[predecessor] + 1 for predecessor in predecessors[node]), default=0)
    return levels


def _sum(cost: _Cost, increment: _Cost) -> _Cost:
    return cost[0] + increment[0], cost[1] + increment[1]


def _bits_set(mask: int) -> list[int]:
    return [index for index in range(mask.bit_length()) if mask >> index & 1]


def _grouped(numbers: Sequence[int]) -> list[list[int]]:
    """Return the indices of *numbers*, grouped by number in ascending order."""
    groups: list[list[int]] = [[] for _ in range(max(numbers) + 1)]
    for index, number in enumerate(numbers):
        groups[number].append(index)
    return groups


def _cut(order: Sequence[int], best: Sequence[tuple[_Cost, int] | None]) -> list[list[int]] | None:
    """Return the runs of *order* for the best splits in *best*, which has one for each end."""
    end, runs = len(order), []
    if best[end] is None:
        return None
    while end:
        split = best[end]
        start = split[1] if split else 0
        runs.append(list(order[start:end]))
        end = start
    return runs[::-1]
