"""The order of each column, so that few arcs cross.

Several orders are tried to begin with, more of them for small graphs. Each is swept to and fro, which puts every node
at the mean of its neighbours; then nodes are taken out and put where they are crossed least, one after the other, until
nothing is gained.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from pipegen.graph.placing.columns import Column, Columns

# How often columns are swept, and how often without gain; how often nodes are sifted, and both together.
_SWEEPS, _IDLE, _SIFTINGS, _ROUNDS = 24, 6, 4, 3
# How many beginnings are tried: at most, and of how many nodes and bends in all.
_MOST, _BEGUN = 16, 1_500
# Past so many nodes and bends none is sifted, nor in a longer column.
_MANY, _LONG = 4_000, 300


def ordered(columns: Columns) -> tuple[Column, ...]:
    """Return the columns, each in the order that was found best; the first found among equals."""
    starts = [_from_the_end(columns), *_by_breadth(columns)]
    if columns.size > _BEGUN:
        starts = starts[1:]
    return tuple(min((_improved(columns, start) for start in starts), key=lambda found: crossings(columns, found)))


def crossings(columns: Columns, order: Iterable[Column]) -> int:
    """Return how many arcs cross when the columns are in *order*."""
    return sum(_between(columns, left, right) for left, right in pairwise(order))


def _between(columns: Columns, left: Column, right: Column) -> int:
    places = {node: place for place, node in enumerate(right)}
    ends: list[int] = []
    number = 0
    for node in left:
        own = [places[later] for later in columns.after[node]]
        number += sum(len(ends) - bisect_right(ends, end) for end in own)
        for end in own:
            insort(ends, end)
    return number


# Beginnings


def _by_breadth(columns: Columns) -> Iterator[list[Column]]:
    """Yield the columns with nodes as they are met around one of them, then around the first that is left."""
    nodes = [node for column in columns.columns for node in column]
    number = min(_MOST, max(_BEGUN // (columns.size or 1) - 1, 1))
    for first in nodes[:: max(len(nodes) // number, 1)]:
        met: dict[int, None] = {}
        for root in (first, *nodes):
            waiting = deque([root])
            while waiting:
                node = waiting.popleft()
                if node not in met:
                    met[node] = None
                    waiting.extend((*columns.after[node], *columns.before[node]))
        yield _in_order(columns, met)


def _from_the_end(columns: Columns) -> list[Column]:
    """Return the columns with nodes as they are met on the way back from the last ones, path by path."""
    met: dict[int, None] = {}
    for column in reversed(columns.columns):
        for root in column:
            waiting = [root]
            while waiting:
                node = waiting.pop()
                if node not in met:
                    met[node] = None
                    waiting.extend(reversed(columns.before[node]))
    return _in_order(columns, met)


def _in_order(columns: Columns, met: Iterable[int]) -> list[Column]:
    rank = {node: place for place, node in enumerate(met)}
    return [sorted(column, key=rank.__getitem__) for column in columns.columns]


# Gains


def _improved(columns: Columns, order: list[Column]) -> list[Column]:
    best, least = order, crossings(columns, order)
    for _ in range(_ROUNDS):
        found = _swept(columns, best)
        if columns.size <= _MANY:
            _sift(columns, found)
        number = crossings(columns, found)
        if number >= least:
            break
        best, least = found, number
    return best


def _swept(columns: Columns, order: list[Column]) -> list[Column]:
    """Return the best order that sweeps find, *order* itself when they find none."""
    now = [list(column) for column in order]
    best, least, idle = order, crossings(columns, order), 0
    for sweep in range(_SWEEPS):
        is_forward = sweep % 2 == 0
        sides = columns.before if is_forward else columns.after
        walk = list(pairwise(now if is_forward else now[::-1]))
        for fixed, column in walk:
            # Nodes that stand alike change places every other time.
            if sweep % 4 >= 2:  # noqa: PLR2004 - a sweep is to and fro
                column.reverse()
            _sort(column, fixed, sides)
        number = crossings(columns, now)
        if number < least:
            best, least, idle = [list(column) for column in now], number, 0
        else:
            idle += 1
        if idle == _IDLE:
            break
    return [list(column) for column in best]


def _sort(column: Column, fixed: Column, sides: Sequence[Sequence[int]]) -> None:
    """Sort *column* by the means of its neighbours in *fixed*; a node without any keeps its place."""
    places = {node: place for place, node in enumerate(fixed)}
    keys = {
        node: sum(places[one] for one in sides[node]) / len(sides[node]) if sides[node] else float(place)
        for place, node in enumerate(column)
    }
    column.sort(key=keys.__getitem__)


def _sift(columns: Columns, order: list[Column]) -> None:
    """Put each node where it is crossed least, the others as they stand."""
    places = [0] * len(columns.before)
    for column in order:
        _note(column, 0, len(column), places)
    for _ in range(_SIFTINGS):
        # Every column is sifted, also when an earlier one has gained.
        if not [True for column in order if len(column) <= _LONG and _sift_column(columns, column, places)]:
            return


def _sift_column(columns: Columns, column: Column, places: list[int]) -> bool:
    """Sift the nodes of *column*, those with most arcs first; return whether that gained anything."""
    ends = {
        node: (sorted(places[one] for one in columns.before[node]), sorted(places[one] for one in columns.after[node]))
        for node in column
    }
    has_gained = False
    for node in sorted(column, key=lambda node: -len(columns.before[node]) - len(columns.after[node])):
        now = places[node]
        best = min(_shifts(ends, column, now), default=(0, now))
        if best[0] < 0:
            column.insert(best[1], column.pop(now))
            _note(column, min(now, best[1]), max(now, best[1]) + 1, places)
            has_gained = True
    return has_gained


def _shifts(ends: dict[int, tuple[list[int], list[int]]], column: Column, now: int) -> Iterable[tuple[int, int]]:
    """Yield how many crossings more each place gives the node that stands at *now*."""
    own = ends[column[now]]
    for way in (range(now - 1, -1, -1), range(now + 1, len(column))):
        more = 0
        for place in way:
            other = ends[column[place]]
            first, second = (own, other) if place < now else (other, own)
            more += sum(_crossed(a, b) - _crossed(b, a) for a, b in zip(first, second, strict=True))
            if more < 0:
                yield more, place


def _crossed(first: list[int], second: list[int]) -> int:
    """Return how many arcs cross when a node with the ends *first* stands before one with the ends *second*."""
    return sum(bisect_left(second, end) for end in first)


def _note(column: Column, start: int, end: int, places: list[int]) -> None:
    for place in range(start, end):
        places[column[place]] = place
