"""The order of each column that minimizes crossings of arcs.

Several initial orders are tried, more of them for small graphs. Each is swept forward and backward, which sorts every
column by the means of its nodes' neighbours; then single nodes are moved to the position with the fewest crossings,
until nothing improves.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from pipegen.graph.placing.columns import Column, Columns

# The most sweeps, sweeps without gain, siftings, and rounds of both.
_SWEEPS, _IDLE, _SIFTINGS, _ROUNDS = 24, 6, 4, 3
# The most initial orders, and the most nodes and bends of all of them together.
_MAX_STARTS, _MAX_START_SIZE = 16, 1_500
# The most nodes and bends that are sifted, in all and in a column.
_MAX_SIFTED, _MAX_COLUMN = 4_000, 300


def ordered(columns: Columns) -> tuple[Column, ...]:
    """Return the columns in the best orders found; the first among equals."""
    starts = [_from_the_end(columns), *_by_breadth(columns)]
    if columns.size > _MAX_START_SIZE:
        starts = starts[1:]
    return tuple(min((_improved(columns, start) for start in starts), key=lambda order: crossings(columns, order)))


def crossings(columns: Columns, order: Iterable[Column]) -> int:
    """Return the number of crossings with the columns in *order*."""
    return sum(_between(columns, left, right) for left, right in pairwise(order))


def _between(columns: Columns, left: Column, right: Column) -> int:
    positions = {node: position for position, node in enumerate(right)}
    ends: list[int] = []
    number = 0
    for node in left:
        targets = [positions[later] for later in columns.successors[node]]
        number += sum(len(ends) - bisect_right(ends, end) for end in targets)
        for end in targets:
            insort(ends, end)
    return number


# Initial orders


def _by_breadth(columns: Columns) -> Iterator[list[Column]]:
    """Yield the columns with nodes in breadth-first order from one of them, then from the first that remains."""
    nodes = [node for column in columns.columns for node in column]
    number = min(_MAX_STARTS, max(_MAX_START_SIZE // (columns.size or 1) - 1, 1))
    for first in nodes[:: max(len(nodes) // number, 1)]:
        visited: dict[int, None] = {}
        for root in (first, *nodes):
            waiting = deque([root])
            while waiting:
                node = waiting.popleft()
                if node not in visited:
                    visited[node] = None
                    waiting.extend((*columns.successors[node], *columns.predecessors[node]))
        yield _in_order(columns, visited)


def _from_the_end(columns: Columns) -> list[Column]:
    """Return the columns with nodes in depth-first order backward from the last columns."""
    visited: dict[int, None] = {}
    for column in reversed(columns.columns):
        for root in column:
            waiting = [root]
            while waiting:
                node = waiting.pop()
                if node not in visited:
                    visited[node] = None
                    waiting.extend(reversed(columns.predecessors[node]))
    return _in_order(columns, visited)


def _in_order(columns: Columns, visited: Iterable[int]) -> list[Column]:
    rank = {node: position for position, node in enumerate(visited)}
    return [sorted(column, key=rank.__getitem__) for column in columns.columns]


# Improvements


def _improved(columns: Columns, order: list[Column]) -> list[Column]:
    best, fewest = order, crossings(columns, order)
    for _ in range(_ROUNDS):
        candidate = _swept(columns, best)
        if columns.size <= _MAX_SIFTED:
            _sift(columns, candidate)
        number = crossings(columns, candidate)
        if number >= fewest:
            break
        best, fewest = candidate, number
    return best


def _swept(columns: Columns, order: list[Column]) -> list[Column]:
    """Return the best order that sweeps find, or *order* itself."""
    current = [list(column) for column in order]
    best, fewest, idle = order, crossings(columns, order), 0
    for sweep in range(_SWEEPS):
        is_forward = sweep % 2 == 0
        sides = columns.predecessors if is_forward else columns.successors
        walk = list(pairwise(current if is_forward else current[::-1]))
        for fixed, column in walk:
            # Nodes with equal means are swapped every other time.
            if sweep % 4 >= 2:  # noqa: PLR2004 - a sweep is forward and backward
                column.reverse()
            _sort(column, fixed, sides)
        number = crossings(columns, current)
        if number < fewest:
            best, fewest, idle = [list(column) for column in current], number, 0
        else:
            idle += 1
        if idle == _IDLE:
            break
    return [list(column) for column in best]


def _sort(column: Column, fixed: Column, sides: Sequence[Sequence[int]]) -> None:
    """Sort *column* by the means of its neighbours in *fixed*; a node without neighbours keeps its position."""
    positions = {node: position for position, node in enumerate(fixed)}
    keys = {
        node: sum(positions[neighbour] for neighbour in sides[node]) / len(sides[node])
        if sides[node]
        else float(position)
        for position, node in enumerate(column)
    }
    column.sort(key=keys.__getitem__)


def _sift(columns: Columns, order: list[Column]) -> None:
    """Move each node to the position with the fewest crossings."""
    positions = [0] * len(columns.predecessors)
    for column in order:
        _note(column, 0, len(column), positions)
    for _ in range(_SIFTINGS):
        # Every column is sifted, even if an earlier one has improved.
        if not [True for column in order if len(column) <= _MAX_COLUMN and _sift_column(columns, column, positions)]:
            return


def _sift_column(columns: Columns, column: Column, positions: list[int]) -> bool:
    """Sift the nodes of *column*, the ones with most arcs first; return whether that improved anything."""
    ends = {
        node: (
            sorted(positions[neighbour] for neighbour in columns.predecessors[node]),
            sorted(positions[neighbour] for neighbour in columns.successors[node]),
        )
        for node in column
    }
    has_gained = False
    for node in sorted(column, key=lambda node: -len(columns.predecessors[node]) - len(columns.successors[node])):
        current = positions[node]
        best = min(_shifts(ends, column, current), default=(0, current))
        if best[0] < 0:
            column.insert(best[1], column.pop(current))
            _note(column, min(current, best[1]), max(current, best[1]) + 1, positions)
            has_gained = True
    return has_gained


def _shifts(ends: dict[int, tuple[list[int], list[int]]], column: Column, current: int) -> Iterable[tuple[int, int]]:
    """Yield the change in crossings for each better position of the node at *current*."""
    own = ends[column[current]]
    for positions in (range(current - 1, -1, -1), range(current + 1, len(column))):
        change = 0
        for position in positions:
            passed = ends[column[position]]
            first, second = (own, passed) if position < current else (passed, own)
            change += sum(_crossed(a, b) - _crossed(b, a) for a, b in zip(first, second, strict=True))
            if change < 0:
                yield change, position


def _crossed(first: list[int], second: list[int]) -> int:
    """Return the number of crossings if a node with the ends *first* is before one with the ends *second*."""
    return sum(bisect_left(second, end) for end in first)


def _note(column: Column, start: int, end: int, positions: list[int]) -> None:
    for position in range(start, end):
        positions[column[position]] = position
