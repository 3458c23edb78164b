"""Graphs of many shapes, small and large."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import pairwise

from pipegen.graph.execution import ExecutionGraph


def dice(seed: int) -> random.Random:
    """Return chance that is the same each time."""
    return random.Random(seed)  # noqa: S311 - a graph is no secret


def layered(chance: random.Random, layers: int, width: int, most: int = 2) -> ExecutionGraph:
    """Return layers, each node of which comes after one to *most* nodes of the layer before."""
    rows = [[f"n{layer}-{place}" for place in range(width)] for layer in range(layers)]
    return _graph(
        rows, [[one, node] for above, row in pairwise(rows) for node in row for one in _some(chance, above, most)]
    )


def full_layers(layers: int, width: int) -> ExecutionGraph:
    """Return layers, each node of which comes after all of the layer before."""
    rows = [[f"n{layer}-{place}" for place in range(width)] for layer in range(layers)]
    return _graph(rows, [[one, node] for above, row in pairwise(rows) for node in row for one in above])


def local(chance: random.Random, size: int, near: int, most: int = 2) -> ExecutionGraph:
    """Return nodes in a row, each of which comes after one to *most* of the *near* ones before it."""
    names = [f"n{place}" for place in range(size)]
    arcs = [
        [one, name]
        for place, name in enumerate(names)
        for one in _some(chance, names[max(0, place - near) : place], most)
    ]
    return _graph([names], arcs)


def trellis(length: int, lag: int) -> ExecutionGraph:
    """Return a chain of which each node also starts a side, and comes after the side that was started *lag* before."""
    sides = [[f"m{place}", f"s{place}"] for place in range(length)]
    joins = [[f"s{place}", f"m{place + lag}"] for place in range(length - lag)]
    return ExecutionGraph([[f"m{place}" for place in range(length)], *sides, *joins])


def ladder(length: int) -> ExecutionGraph:
    """Return two chains with an arc from each node of one to the next but one of the other: one N above the next."""
    chains = [[f"{side}{place}" for place in range(length)] for side in "ab"]
    return ExecutionGraph([*chains, *([f"a{place}", f"b{place + 1}"] for place in range(length - 1))])


def diamonds(length: int, width: int = 2, prefix: str = "") -> ExecutionGraph:
    """Return diamonds one after the other, each with *width* nodes side by side."""
    return ExecutionGraph(
        [f"{prefix}j{place}", f"{prefix}d{place}-{side}", f"{prefix}j{place + 1}"]
        for place in range(length)
        for side in range(width)
    )


def series_parallel(chance: random.Random, size: int) -> ExecutionGraph:
    """Return a graph of one first and one last node in which arcs are replaced by series and by forks that join."""
    arcs = [("n0", "n1")]
    for number in range(2, size):
        earlier, later = arcs[chance.randrange(len(arcs))]
        if chance.random() < 0.5:
            arcs.remove((earlier, later))
        arcs += [(earlier, f"n{number}"), (f"n{number}", later)]
    return ExecutionGraph(arcs)


def wide_joins(count: int, width: int) -> ExecutionGraph:
    """Return forks of *width* that join, side by side."""
    return ExecutionGraph(
        [f"{place}", f"{place}-{side}", f"{place} joined"] for place in range(count) for side in range(width)
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
        "chains": lambda: ExecutionGraph([f"{chain}-{place}" for place in range(100)] for chain in range(6)),
    }
    return {name: made() for name, made in shapes.items()}


def _graph(rows: Sequence[Sequence[str]], arcs: Sequence[Sequence[str]]) -> ExecutionGraph:
    return ExecutionGraph([*([node] for row in rows for node in row), *arcs])


def _some(chance: random.Random, names: Sequence[str], most: int) -> list[str]:
    """Return one to *most* of *names*, none where there are none."""
    return chance.sample(names, min(len(names), chance.randint(1, most)))
