"""A row of nodes cut where few arcs span the cut."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from pipegen.structs import Struct


class Segments(Struct):
    """Where the segments of a row end, and how many arcs span the cuts, counted once for each."""

    ends: tuple[int, ...]
    spans: int


def segments(row: Sequence[int], before: Sequence[Sequence[int]], weights: Sequence[int], most: int) -> Segments | None:
    """Return the segments of *row*, each weighing at most *most*; None where one node weighs more.

    *before* are the predecessors of each node, *weights* those of the nodes in the row. The arcs spanning the cuts are
    fewest together; then the segments are fewest.
    """
    spans = _spans(row, before)
    best: list[tuple[int, int]] = [(0, 0)]
    origins = [0]
    window: deque[int] = deque([0])
    start = held = 0
    for end, weight in enumerate(weights, 1):
        held += weight
        while held > most:
            held -= weights[start]
            start += 1
        while window and window[0] < start:
            window.popleft()
        if not window:
            return None
        origin = window[0]
        cost = (best[origin][0] + spans[end], best[origin][1] + 1)
        best.append(cost)
        origins.append(origin)
        while window and best[window[-1]] > cost:
            window.pop()
        window.append(end)
    ends = []
    end = len(row)
    while end > 0:
        ends.append(end)
        end = origins[end]
    return Segments(tuple(reversed(ends)), best[-1][0])


def _spans(row: Sequence[int], before: Sequence[Sequence[int]]) -> list[int]:
    """Return how many arcs span each place of *row*: before the first node, between two, behind the last."""
    places = {node: place for place, node in enumerate(row)}
    changes = [0] * (len(row) + 2)
    for node in row:
        for earlier in before[node]:
            if earlier in places:
                low, high = sorted((places[node], places[earlier]))
                changes[low + 1] += 1
                changes[high + 1] -= 1
    spans, now = [], 0
    for change in changes[:-1]:
        now += change
        spans.append(now)
    return spans
