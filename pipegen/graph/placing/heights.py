"""The vertical position of each node: as close to its neighbours as its column allows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from math import fsum

from pipegen.graph.placing.columns import Column, Columns

# The most sweeps over the columns, and about how many nodes are visited in all.
_SWEEPS, _LOOKS = 60, 120_000
# The weight of an arc at a bend, which is part of a long arc, and on the straight line.
_BEND, _STRAIGHT = 4.0, 16.0
# The weight of a node's current position.
_INERTIA = 0.01


def heights(columns: Columns, order: Sequence[Column], rooms: Sequence[float], straight: Sequence[int]) -> list[float]:
    """Return the middle of each node and bend; the highest starts at 0.

    *rooms* are their heights in a column, and *straight* is the chain to draw as level as possible.
    """
    middles = [0.0] * len(columns.predecessors)
    for column in order:
        top = -fsum(rooms[node] for node in column) / 2
        for node in column:
            middles[node] = top + rooms[node] / 2
            top += rooms[node]
    pulls = _pulls(columns, frozenset(pairwise(straight)))
    for sweep in range(max(min(_SWEEPS, _LOOKS // (len(middles) or 1)), 8)):
        for column in order if sweep % 2 == 0 else reversed(order):
            _settle(column, [_target(pulls[node], middles, middles[node]) for node in column], rooms, middles)
    _level((straight, *_rows(columns), *sorted(columns.trunks, key=len, reverse=True)), order, rooms, middles)
    top_edge = min((middle - room / 2 for middle, room in zip(middles, rooms, strict=True)), default=0.0)
    return [middle - top_edge for middle in middles]


def _pulls(columns: Columns, straight: Collection[tuple[int, int]]) -> list[list[tuple[int, float]]]:
    """Return the neighbours of each node, with the weights of the arcs to them."""

    def pull(left: int, right: int) -> float:
        if (left, right) in straight:
            return _STRAIGHT
        kind = 1.0 if left < columns.nodes and right < columns.nodes else _BEND
        # One arc of many has little weight, so that stages with one predecessor and one successor form a row.
        return kind / max(len(columns.successors[left]), len(columns.predecessors[right]))

    return [
        [*((left, pull(left, node)) for left in before), *((left, pull(node, left)) for left in after)]
        for node, (before, after) in enumerate(zip(columns.predecessors, columns.successors, strict=True))
    ]


def _target(pulls: Sequence[tuple[int, float]], middles: Sequence[float], current: float) -> tuple[float, float]:
    """Return the target position of a node, and its weight."""
    total, weight = current * _INERTIA, _INERTIA
    for neighbour, pull in pulls:
        total += middles[neighbour] * pull
        weight += pull
    return total / weight, weight


def _settle(
    column: Column, targets: Sequence[tuple[float, float]], rooms: Sequence[float], middles: list[float]
) -> None:
    """Place the nodes of *column* with the least squares of distances from their *targets*."""
    offsets = [0.0]
    for upper, lower in pairwise(column):
        offsets.append(offsets[-1] + (rooms[upper] + rooms[lower]) / 2)
    # Neighbours that would overlap move together: sum of targets, weight, number of nodes.
    blocks: list[tuple[float, float, int]] = []
    for (target, weight), offset in zip(targets, offsets, strict=True):
        block = ((target - offset) * weight, weight, 1)
        while blocks and blocks[-1][0] * block[1] > block[0] * blocks[-1][1]:
            last = blocks.pop()
            block = (last[0] + block[0], last[1] + block[1], last[2] + block[2])
        blocks.append(block)
    index = 0
    for total, weight, count in blocks:
        for _ in range(count):
            middles[column[index]] = total / weight + offsets[index]
            index += 1


def _rows(columns: Columns) -> Iterator[list[int]]:
    """Yield the chains in which each node has one successor that has no other predecessor."""
    next_of = {
        node: after[0]
        for node, after in enumerate(columns.successors)
        if len(after) == 1 == len(columns.predecessors[after[0]])
    }
    inner = frozenset(next_of.values())
    for start in (node for node in next_of if node not in inner):
        row = [start]
        while row[-1] in next_of:
            row.append(next_of[row[-1]])
        yield row


def _level(
    chains: Iterable[Sequence[int]], order: Sequence[Column], rooms: Sequence[float], middles: list[float]
) -> None:
    """Level *chains* as far as there is room."""
    above = {lower: upper for column in order for upper, lower in pairwise(column)}
    below = {upper: lower for lower, upper in above.items()}

    def free(node: int) -> tuple[float, float]:
        upper, lower = above.get(node), below.get(node)
        minimum = middles[upper] + (rooms[upper] + rooms[node]) / 2 if upper is not None else float("-inf")
        maximum = middles[lower] - (rooms[lower] + rooms[node]) / 2 if lower is not None else float("inf")
        return minimum, max(minimum, maximum)

    for chain in chains:
        run: list[int] = []
        low, high = float("-inf"), float("inf")
        for node in chain:
            minimum, maximum = free(node)
            if run and max(low, minimum) > min(high, maximum):
                _align(run, low, high, middles)
                run, low, high = [], float("-inf"), float("inf")
            run.append(node)
            low, high = max(low, minimum), min(high, maximum)
        _align(run, low, high, middles)


def _align(run: Sequence[int], low: float, high: float, middles: list[float]) -> None:
    """Place the nodes of *run* at one height between *low* and *high*, as close as possible to their mean."""
    if run:
        middle = min(max(fsum(middles[node] for node in run) / len(run), low), high)
        for node in run:
            middles[node] = middle
