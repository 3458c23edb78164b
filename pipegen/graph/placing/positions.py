"""A graph as boxes in columns, with lines between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from pipegen.graph.execution import ExecutionGraph
from pipegen.graph.placing.columns import Columns, columns_of
from pipegen.graph.placing.crossings import ordered
from pipegen.graph.placing.heights import heights
from pipegen.structs import Struct

# Space between boxes of a column, and the height of a bend.
_BETWEEN, _BEND = 14.0, 8.0
# Space between columns: more where lines are steep.
_APART, _STEEP, _MOST_APART = 52.0, 0.1, 150.0


class Size(Struct):
    """The size of a node."""

    width: float
    height: float


class Box(Struct):
    """The box of a node: its left, its top, and its size."""

    x: float
    y: float
    width: float
    height: float


class Segment(Struct):
    """A level part of a line, within a column."""

    start: float
    end: float
    y: float


class Positions(Struct, kw_only=True):
    """The boxes by name, and the line of each arc: a level segment in each column from its start to its end."""

    boxes: Mapping[str, Box]
    lines: Mapping[tuple[str, str], tuple[Segment, ...]]
    width: float
    height: float


def positions_of(graph: ExecutionGraph, sizes: Mapping[str, Size], straight: Sequence[str]) -> Positions:
    """Return the positions of the nodes of *graph*, which have *sizes*; the chain *straight* is as level as possible.

    Raise `CycleError` if the graph has a cycle.
    """
    columns = columns_of(graph)
    order = ordered(columns)
    numbers = {node: number for number, node in enumerate(graph.nodes)}
    rooms = [sizes[node].height + _BETWEEN for node in graph.nodes]
    rooms += [_BEND] * (len(columns.predecessors) - len(rooms))
    middles = heights(columns, order, rooms, _level(straight, columns, numbers))
    widths = [
        max((sizes[graph.nodes[node]].width for node in column if node < columns.nodes), default=0.0)
        for column in order
    ]
    lefts = _lefts(columns, order, widths, middles)
    column_of = {node: number for number, column in enumerate(order) for node in column}

    def segment(node: int) -> Segment:
        number = column_of[node]
        return Segment(lefts[number], lefts[number] + widths[number], middles[node])

    boxes = {
        name: Box(
            box_segment.start,
            box_segment.y - sizes[name].height / 2,
            box_segment.end - box_segment.start,
            sizes[name].height,
        )
        for name, box_segment in ((name, segment(node)) for name, node in numbers.items())
    }
    return Positions(
        boxes=boxes,
        lines={arc: tuple(map(segment, _chain(arc, columns, numbers))) for arc in graph.arcs},
        width=lefts[-1] + widths[-1] if widths else 0.0,
        height=max((middle + room / 2 for middle, room in zip(middles, rooms, strict=True)), default=0.0),
    )


def _chain(arc: tuple[str, str], columns: Columns, numbers: Mapping[str, int]) -> tuple[int, ...]:
    return (numbers[arc[0]], *columns.chains[arc], numbers[arc[1]])


def _level(names: Sequence[str], columns: Columns, numbers: Mapping[str, int]) -> list[int]:
    """Return the numbers of the nodes *names*, and of the bends of the arcs between them."""
    inner = (node for arc in pairwise(names) for node in _chain(arc, columns, numbers)[1:])
    return [*(numbers[name] for name in names[:1]), *inner]


def _lefts(
    columns: Columns, order: Sequence[Sequence[int]], widths: Sequence[float], middles: Sequence[float]
) -> list[float]:
    """Return the left edges of the columns."""
    lefts = [0.0][: len(order)]
    for column, width in zip(order[:-1], widths, strict=False):
        steepest = max(
            (abs(middles[node] - middles[neighbour]) for node in column for neighbour in columns.successors[node]),
            default=0,
        )
        lefts.append(lefts[-1] + width + min(_APART + _STEEP * steepest, _MOST_APART))
    return lefts
