"""Graphs of many shapes, small and large."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import pairwise

from pipegen.graph.blocks import Block
from pipegen.graph.execution import ExecutionGraph


def dice(seed: int) -> random.Random:
    """Return a random generator with a fixed seed."""
    return random.Random(seed)  # noqa: S311 - a graph is no secret


def layered(chance: random.Random, layers: int, width: int, maximum: int = 2) -> ExecutionGraph:
    """Return layers in which each node comes after one to *maximum* nodes of the previous layer."""
    rows = [[f"n{layer}-{index}" for index in range(width)] for layer in range(layers)]
    return _graph(
        rows,
        [
            [predecessor, node]
            for above, row in pairwise(rows)
            for node in row
            for predecessor in _some(chance, above, maximum)
        ],
    )


def full_layers(layers: int, width: int) -> ExecutionGraph:
    """Return layers in which each node comes after all nodes of the previous layer."""
    rows = [[f"n{layer}-{index}" for index in range(width)] for layer in range(layers)]
    return _graph(rows, [[predecessor, node] for above, row in pairwise(rows) for node in row for predecessor in above])


def local(chance: random.Random, size: int, reach: int, maximum: int = 2) -> ExecutionGraph:
    """Return a sequence of nodes, each after one to *maximum* of the *reach* nodes before it."""
    names = [f"n{index}" for index in range(size)]
    arcs = [
        [text, name]
        for index, name in enumerate(names)
        for text in _some(chance, names[max(0, index - reach) : index], maximum)
    ]
    return _graph([names], arcs)


def trellis(length: int, lag: int) -> ExecutionGraph:
    """Return a chain in which each node starts a side node, and follows the side node of *lag* nodes before."""
    sides = [[f"m{index}", f"s{index}"] for index in range(length)]
    joins = [[f"s{index}", f"m{index + lag}"] for index in range(length - lag)]
    return ExecutionGraph([[f"m{index}" for index in range(length)], *sides, *joins])


def ladder(length: int) -> ExecutionGraph:
    """Return two chains with an arc from each node of one to the next but one of the other: overlapping N shapes."""
    chains = [[f"{side}{index}" for index in range(length)] for side in "ab"]
    return ExecutionGraph([*chains, *([f"a{index}", f"b{index + 1}"] for index in range(length - 1))])


def diamonds(length: int, width: int = 2, prefix: str = "") -> ExecutionGraph:
    """Return diamonds in sequence, each with *width* parallel nodes."""
    return ExecutionGraph(
        [f"{prefix}j{index}", f"{prefix}d{index}-{side}", f"{prefix}j{index + 1}"]
        for index in range(length)
        for side in range(width)
    )


def series_parallel(chance: random.Random, size: int) -> ExecutionGraph:
    """Return a graph with one first and one last node in which arcs are replaced by series and by forks that join."""
    arcs = [("n0", "n1")]
    for number in range(2, size):
        earlier, later = arcs[chance.randrange(len(arcs))]
        if chance.random() < 0.5:
            arcs.remove((earlier, later))
        arcs += [(earlier, f"n{number}"), (f"n{number}", later)]
    return ExecutionGraph(arcs)


def wide_joins(count: int, width: int) -> ExecutionGraph:
    """Return parallel forks of *width* that join."""
    return ExecutionGraph(
        [f"{index}", f"{index}-{side}", f"{index} joined"] for index in range(count) for side in range(width)
    )


def family(seed: int) -> dict[str, ExecutionGraph]:
    """Return one graph of each kind, from some hundred nodes to a thousand."""
    chance = dice(seed)
    shapes: dict[str, Callable[[], ExecutionGraph]] = {
        "60 layers of 3": lambda: layered(chance, 60, 3),
        "60 layers of 20": lambda: layered(chance, 60, 20, 3),
        "100 layers of 10": lambda: layered(chance, 100, 10),
        "30 layers of 30": lambda: layered(chance, 30, 30, 3),
        "60 full layers": lambda: full_layers(60, 5),
        "300 near each other": lambda: local(chance, 300, 10),
        "1,000 near each other": lambda: local(chance, 1000, 30),
        "1,000 with many arcs": lambda: local(chance, 1000, 50, 3),
        "trellis": lambda: trellis(200, 3),
        "ladder": lambda: ladder(200),
        "diamonds": lambda: diamonds(100),
        "chains of diamonds": lambda: diamonds(60, 3, "x") | diamonds(60, 4, "y") | diamonds(60, 2, "z"),
        "series and parallel": lambda: series_parallel(chance, 600),
        "wide joins": lambda: wide_joins(3, 120),
        "chains": lambda: ExecutionGraph([f"{chain}-{index}" for index in range(100)] for chain in range(6)),
    }
    return {name: make() for name, make in shapes.items()}


def _graph(rows: Sequence[Sequence[str]], arcs: Sequence[Sequence[str]]) -> ExecutionGraph:
    return ExecutionGraph([*([node] for row in rows for node in row), *arcs])


def _some(chance: random.Random, names: Sequence[str], maximum: int) -> list[str]:
    """Return one to *maximum* of *names*; none if there are none."""
    return chance.sample(names, min(len(names), chance.randint(1, maximum)))


def frames_as_blocks(graph: ExecutionGraph) -> tuple[Block, ...]:
    """Return the frames of *graph* as blocks with one node per chain; this works for every graph, with added waits."""
    return tuple(tuple((node,) for node in frame) for frame in graph.stack())
