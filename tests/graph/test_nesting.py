"""The nesting depth of nodes: exact for small graphs, a bound for all runs, and fast."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from graph import families
from graph.test_blocks import all_acyclic
from targets.jenkins.driver import Parallel, Run

from pipegen.graph.execution import ExecutionGraph
from pipegen.graph.nesting import nesting, nesting_handed_out


def deepest(graph: ExecutionGraph, *, hands_out: bool) -> dict[str, int]:
    """Return the largest depth of each node in any run of the driver, including failures."""
    depths = dict.fromkeys(graph.nodes, 0)
    seen: set[object] = set()
    remaining = [Run(graph, hands_out=hands_out).start()]
    while remaining:
        run = remaining.pop()
        if (state := _state(run)) in seen:
            continue
        seen.add(state)
        for node, block in run.running.items():
            depths[node] = max(depths[node], block.depth)
            for is_failed in (False, True):
                remaining.append(run.copy())
                remaining[-1].end(node, is_failed=is_failed)
    return depths


def _state(run: Run) -> object:
    """Return the state that determines how *run* continues."""
    numbers: dict[int, int] = {}

    def around(block: Parallel | None) -> Iterator[tuple[int, int]]:
        while block is not None:
            yield numbers.setdefault(id(block), len(numbers)), block.open
            block = block.outer

    return frozenset(run.ended), tuple((node, tuple(around(block))) for node, block in sorted(run.running.items()))


def small_graphs() -> Iterator[ExecutionGraph]:
    """Yield all graphs of up to four nodes, and some of six and seven."""
    for size in range(1, 5):
        yield from all_acyclic(size)
    for seed in range(60):
        dice = families.dice(seed)
        yield families.local(dice, dice.randint(6, 7), 4, 2) | ExecutionGraph([["apart"]] if seed % 3 else [])


def test_the_nesting_depth_is_the_maximum_over_all_runs() -> None:
    """The last predecessor starts a node, in its own branch or in nested ones."""
    for graph in small_graphs():
        reduced = graph.transitive_reduction()

        assert deepest(graph, hands_out=False) == nesting(reduced), graph
        assert all(depth <= nesting(graph)[node] for node, depth in nesting(reduced).items())


def test_no_run_gets_deeper_when_branches_hand_out() -> None:
    """The depth is at most that without handing out; for nearly all graphs, some run reaches it."""
    exact = 0
    graphs = list(small_graphs())
    for graph in graphs:
        counts, bound = deepest(graph, hands_out=True), nesting_handed_out(graph.transitive_reduction())
        exact += counts == bound

        assert all(counts[node] <= bound[node] <= nesting(graph)[node] for node in graph.nodes), graph
    assert exact > 0.98 * len(graphs)


@pytest.mark.parametrize(
    ("graph", "expected", "handed_out"),
    [
        (ExecutionGraph(), 0, 0),
        (ExecutionGraph([["a", "b", "c"]]), 0, 0),
        (ExecutionGraph([["a"], ["b"]]), 1, 1),
        (ExecutionGraph([["a", "b", "c"], ["a", "c"]]), 0, 0),
        (families.diamonds(100), 100, 1),
        (families.diamonds(100, 50), 100, 1),
        (families.diamonds(90) | families.diamonds(80, 3, "x"), 91, 2),
        (families.full_layers(60, 2), 60, 1),
        (families.full_layers(60, 4) + families.diamonds(70, 3), 130, 1),
        (families.wide_joins(3, 120), 2, 2),
        (families.ladder(60), 60, 1),
        (families.trellis(60, 3), 59, 59),
    ],
)
def test_joins_close_forks(graph: ExecutionGraph, expected: int, handed_out: int) -> None:
    """Diamonds and layers do not add up; overlapping forks do."""
    assert max(nesting(graph.transitive_reduction()).values(), default=0) == expected
    assert max(nesting_handed_out(graph.transitive_reduction()).values(), default=0) == handed_out


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_no_run_of_a_large_graph_gets_deeper(seed: int) -> None:
    """Nodes end in random order, and start as soon as possible."""
    for graph in families.family(seed).values():
        dice = families.dice(seed)
        bound = nesting_handed_out(graph.transitive_reduction())
        run = Run(graph, deepest=10_000).start()
        while run.running:
            node = dice.choice(list(run.running)[-8:])
            assert run.running[node].depth <= bound[node]
            run.end(node, is_failed=dice.random() < 0.001)


def test_nesting_of_thousands_of_nodes_is_fast() -> None:
    """This includes long chains."""
    graphs = [families.layered(families.dice(1), 100, 50, 4), ExecutionGraph([[f"n{place}" for place in range(5000)]])]
    began = time.process_time()
    for graph in graphs:
        nesting_handed_out(graph.transitive_reduction())

    assert time.process_time() - began < 5
