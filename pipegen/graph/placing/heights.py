"""How high each node stands: as near to its neighbours as its column has room."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from math import fsum

from pipegen.graph.placing.columns import Column, Columns

# How often columns look at their neighbours, and how many nodes are looked at in all, about.
_SWEEPS, _LOOKS = 60, 120_000
# How much an arc pulls: bends, that lie on long arcs, more, and arcs of the line that is drawn straight most of all.
_BEND, _STRAIGHT = 4.0, 16.0
# What keeps a node without neighbours where it is.
_ALONE = 0.01


def heights(columns: Columns, order: Sequence[Column], rooms: Sequence[float], straight: Sequence[int]) -> list[float]:
    """Return the middle of each node and bend; the highest begins at 0.

    *rooms* is how much each takes in its column, and *straight* is the chain that would best be level.
    """
    found = [0.0] * len(columns.before)
    for column in order:
        top = -fsum(rooms[node] for node in column) / 2
        for node in column:
            found[node] = top + rooms[node] / 2
            top += rooms[node]
    pulls = _pulls(columns, frozenset(pairwise(straight)))
    for sweep in range(max(min(_SWEEPS, _LOOKS // (len(found) or 1)), 8)):
        for column in order if sweep % 2 == 0 else reversed(order):
            _settle(column, [_wish(pulls[node], found, found[node]) for node in column], rooms, found)
    _level((straight, *_rows(columns), *sorted(columns.trunks, key=len, reverse=True)), order, rooms, found)
    least = min((middle - room / 2 for middle, room in zip(found, rooms, strict=True)), default=0.0)
    return [middle - least for middle in found]


def _pulls(columns: Columns, straight: Collection[tuple[int, int]]) -> list[list[tuple[int, float]]]:
    """Return the neighbours of each node, and how much they pull."""

    def pull(one: int, other: int) -> float:
        if (one, other) in straight:
            return _STRAIGHT
        kind = 1.0 if one < columns.nodes and other < columns.nodes else _BEND
        # One arc of many pulls little, so that stages with one predecessor and one follower stand in a row.
        return kind / max(len(columns.after[one]), len(columns.before[other]))

    return [
        [*((one, pull(one, node)) for one in before), *((one, pull(node, one)) for one in after)]
        for node, (before, after) in enumerate(zip(columns.before, columns.after, strict=True))
    ]


def _wish(pulls: Sequence[tuple[int, float]], found: Sequence[float], now: float) -> tuple[float, float]:
    """Return where a node would stand, and how much it wants to."""
    total, weight = now * _ALONE, _ALONE
    for one, pull in pulls:
        total += found[one] * pull
        weight += pull
    return total / weight, weight


def _settle(column: Column, wishes: Sequence[tuple[float, float]], rooms: Sequence[float], found: list[float]) -> None:
    """Put the nodes of *column* where the squares of their distances from their *wishes* are least."""
    offsets = [0.0]
    for one, other in pairwise(column):
        offsets.append(offsets[-1] + (rooms[one] + rooms[other]) / 2)
    # Neighbours that would overlap move as one: sum of wishes, weight, number of nodes.
    blocks: list[tuple[float, float, int]] = []
    for (wish, weight), offset in zip(wishes, offsets, strict=True):
        block = ((wish - offset) * weight, weight, 1)
        while blocks and blocks[-1][0] * block[1] > block[0] * blocks[-1][1]:
            last = blocks.pop()
            block = (last[0] + block[0], last[1] + block[1], last[2] + block[2])
        blocks.append(block)
    place = 0
    for total, weight, count in blocks:
        for _ in range(count):
            found[column[place]] = total / weight + offsets[place]
            place += 1


def _rows(columns: Columns) -> Iterator[list[int]]:
    """Yield the chains in which each has one follower, and that no other predecessor."""
    next_of = {
        node: after[0] for node, after in enumerate(columns.after) if len(after) == 1 == len(columns.before[after[0]])
    }
    inner = frozenset(next_of.values())
    for start in (node for node in next_of if node not in inner):
        row = [start]
        while row[-1] in next_of:
            row.append(next_of[row[-1]])
        yield row


def _level(
    chains: Iterable[Sequence[int]], order: Sequence[Column], rooms: Sequence[float], found: list[float]
) -> None:
    """Let *chains* run level as far as there is room, in place of a step in each column."""
    above = {other: one for column in order for one, other in pairwise(column)}
    below = {one: other for other, one in above.items()}

    def free(node: int) -> tuple[float, float]:
        one, other = above.get(node), below.get(node)
        least = found[one] + (rooms[one] + rooms[node]) / 2 if one is not None else float("-inf")
        most = found[other] - (rooms[other] + rooms[node]) / 2 if other is not None else float("inf")
        return least, max(least, most)

    for chain in chains:
        run: list[int] = []
        low, high = float("-inf"), float("inf")
        for node in chain:
            least, most = free(node)
            if run and max(low, least) > min(high, most):
                _lay(run, low, high, found)
                run, low, high = [], float("-inf"), float("inf")
            run.append(node)
            low, high = max(low, least), min(high, most)
        _lay(run, low, high, found)


def _lay(run: Sequence[int], low: float, high: float, found: list[float]) -> None:
    """Put the nodes of *run* at one height between *low* and *high*, as near as may be to their mean."""
    if run:
        middle = min(max(fsum(found[node] for node in run) / len(run), low), high)
        for node in run:
            found[node] = middle
