"""The driver's model on graphs of many shapes: the order of stages, the depth of blocks, and the makespan.

`engines/test_deep_graphs.py` checks that the Groovy takes the same decisions as the model.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

import pytest
from graph import families
from targets.jenkins.driver import DEEPEST, Run, ideal, timed

from pipegen.graph.execution import ExecutionGraph
from pipegen.graph.nesting import nesting

DURATIONS: Mapping[str, Callable[[random.Random], float]] = {
    "even": lambda dice: dice.uniform(1, 2),
    "uneven": lambda dice: dice.lognormvariate(0, 1),
    "few long ones": lambda dice: dice.choice([0.1, 0.1, 0.1, 10]),
}


def drawn(graph: ExecutionGraph, kind: str, seed: int) -> dict[str, float]:
    """Return random durations for the nodes of *graph*."""
    dice = families.dice(seed)
    return {node: DURATIONS[kind](dice) for node in graph.nodes}


def driven(graph: ExecutionGraph) -> Run:
    """Return a run with the driver of a file for *graph*."""
    return Run(graph, hands_out=max(nesting(graph.transitive_reduction()).values()) > DEEPEST)


@pytest.mark.slow
@pytest.mark.parametrize("kind", DURATIONS)
@pytest.mark.parametrize("seed", range(2))
def test_the_makespan_is_close_to_ideal(kind: str, seed: int) -> None:
    """Ideal if blocks nest at most 10 deep; otherwise at most a tenth longer."""
    for name, graph in families.family(seed).items():
        durations = drawn(graph, kind, seed)
        run = driven(graph)
        starts, ends = timed(run, durations)
        ratio = max(ends.values()) / ideal(graph, durations)

        assert len(starts) == len(graph.nodes), name
        assert all(ends[earlier] <= starts[node] for earlier, node in graph.arcs), name
        assert run.depth <= DEEPEST, name
        assert ratio == pytest.approx(1) if not run.held else ratio <= 1.1, name
        assert run.hands_out or not run.held, name


def test_delayed_stages_are_rare() -> None:
    """Some of these graphs have them, or the bound above would be trivial; flat graphs never do."""
    data = {}
    for name, graph in families.family(0).items():
        run = driven(graph)
        timed(run, drawn(graph, "even", 0))
        data[name] = run.held

    assert {"60 layers of 20", "100 layers of 10"} <= {name for name, count in data.items() if count}
    assert all(not data[name] for name in ("60 full layers", "diamonds", "chains of diamonds", "series and parallel"))
    assert all(count <= 200 for count in data.values())


@pytest.mark.parametrize(("lag", "side", "most"), [(3, 2, 1.1), (5, 4, 1.29), (20, 18, 2.35)])
def test_the_worst_shape_is_within_the_documented_bound(lag: int, side: int, most: float) -> None:
    """A chain in which each step starts a branch that takes many steps."""
    graph = families.trellis(300, lag)
    durations = {node: float(side if node.startswith("s") else 1) for node in graph.nodes}
    run = driven(graph)
    _, ends = timed(run, durations)

    assert run.held
    assert 1 < max(ends.values()) / ideal(graph, durations) <= most


@pytest.mark.parametrize("deepest", [1, 3, 10])
def test_failures_skip_only_their_successors(deepest: int) -> None:
    """All others run, even if they are delayed."""
    for seed in range(30):
        dice = families.dice(seed)
        graph = families.local(dice, 80, 8, 2) | ExecutionGraph([["apart", "from", "others"]])
        failing = set(dice.sample(graph.nodes, 4))
        lost = {later for stage in failing for later in graph.descendants(stage)}
        run = Run(graph, deepest, deepest // 2)
        starts, ends = timed(run, drawn(graph, "uneven", seed), failing)

        assert starts.keys() == set(graph.nodes) - lost
        assert all(ends[earlier] <= starts[node] for earlier, node in graph.arcs if node in starts)
        assert run.depth <= deepest
