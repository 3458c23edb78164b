"""The cheapest blocks: how they compare with all that there are, with frames, and with the clock."""

import random
from collections.abc import Iterator
from functools import cache
from itertools import combinations

import pytest
from graph.test_blocks import NODES, Order, all_acyclic, order_asked, order_of

from pipegen.graph.blocks import Block, added_waits, blocks, frames_as_blocks
from pipegen.graph.execution import ExecutionGraph
from pipegen.graph.layout import cheapest_blocks

Cost = tuple[int, int]


def longest(placed: tuple[Block, ...]) -> int:
    """Return the longest path through *placed*, each node taking 1."""
    return sum(max(map(len, block)) for block in placed)


def joined(block: tuple[str, ...], order: Order) -> list[set[str]]:
    """Return the nodes of *block* in groups: those that *order* joins, directly or not."""
    groups: list[set[str]] = []
    for node in block:
        near = [group for group in groups if any((one, node) in order or (node, one) in order for one in group)]
        groups = [group for group in groups if group not in near] + [{node}.union(*near)]
    return groups


def all_costs(nodes: tuple[str, ...], order: Order) -> set[Cost]:
    """Return the longest path and the pairs put in order, of every way to say at least *order* in blocks."""

    @cache
    def costs(done: frozenset[str]) -> frozenset[Cost]:
        return frozenset(_costs(done)) if len(done) < len(nodes) else frozenset({(0, 0)})

    def _costs(done: frozenset[str]) -> Iterator[Cost]:
        left = [node for node in nodes if node not in done]
        for size in range(1, len(left) + 1):
            for block in combinations(left, size):
                after = done.union(block)
                if all(earlier in after for earlier, node in order if node in block):
                    groups = joined(block, order)
                    within = sum(len(group) * (len(group) - 1) // 2 for group in groups)
                    for path, pairs in costs(after):
                        yield path + max(map(len, groups)), pairs + within + len(done) * size

    return set(costs(frozenset()))


@pytest.mark.parametrize("size", range(1, 6))
def test_no_blocks_are_cheaper_for_any_small_graph(size: int) -> None:
    """For every order of up to five nodes: the least longest path of all, and the fewest pairs among these."""
    orders = {order_asked(graph): graph for graph in all_acyclic(size)}
    for order, graph in orders.items():
        found = cheapest_blocks(graph)

        assert order_of(found) >= order, graph
        assert (longest(found), len(order_of(found))) == min(all_costs(tuple(NODES[:size]), order)), graph


def all_orders(nodes: tuple[str, ...], order: Order) -> Iterator[tuple[Cost, frozenset[tuple[str, str]]]]:
    """Yield what every way to say at least *order* in blocks costs, and the pairs that it puts in order."""
    graph = ExecutionGraph([*((node,) for node in nodes), *order])
    places = {node: place for place, node in enumerate(graph.topological())}

    def orders(done: frozenset[str]) -> Iterator[tuple[int, frozenset[tuple[str, str]]]]:
        if len(done) == len(nodes):
            yield 0, frozenset()
        left = [node for node in nodes if node not in done]
        for size in range(1, len(left) + 1):
            for block in combinations(left, size):
                if all(earlier in done.union(block) for earlier, node in order if node in block):
                    groups = [sorted(group, key=places.__getitem__) for group in joined(block, order)]
                    own = {pair for group in groups for pair in combinations(group, 2)}
                    own |= {(earlier, node) for earlier in done for node in block}
                    for path, rest in orders(done.union(block)):
                        yield path + max(map(len, groups)), rest | own

    for path, pairs in orders(frozenset()):
        yield (path, len(pairs)), pairs


@pytest.mark.parametrize("size", range(1, 5))
def test_of_equal_blocks_those_win_that_frames_do_not_beat(size: int) -> None:
    """Where some of the cheapest order nothing that frames do not, so do those that are found."""
    for order, graph in {order_asked(graph): graph for graph in all_acyclic(size)}.items():
        found, all_of_them = cheapest_blocks(graph), list(all_orders(tuple(NODES[:size]), order))
        cheapest = [pairs for cost, pairs in all_of_them if cost == min(all_of_them)[0]]
        frames = order_of(frames_as_blocks(graph))
        is_exact = len(order_of(found)) == len(order)

        assert is_exact or (order_of(found) <= frames) is any(pairs <= frames for pairs in cheapest), graph


@pytest.mark.parametrize("size", range(1, 6))
def test_what_blocks_say_exactly_stays_exact(size: int) -> None:
    """Where some blocks add nothing, those are found."""
    for graph in all_acyclic(size):
        exact = blocks(graph)

        assert exact is None or cheapest_blocks(graph) == exact, graph


def scattered(size: int, reach: int, chance: float, seed: int) -> ExecutionGraph:
    """Return a graph of *size* nodes with arcs by *chance* to those up to *reach* later."""
    dice = random.Random(seed)  # noqa: S311 - a graph is no secret
    nodes = [f"n{place}" for place in range(size)]
    arcs = [
        (nodes[one], nodes[two])
        for one in range(size)
        for two in range(one + 1, min(size, one + reach))
        if dice.random() < chance
    ]
    return ExecutionGraph([*((node,) for node in nodes), *arcs])


@pytest.mark.parametrize("seed", range(30))
def test_frames_are_never_cheaper(seed: int) -> None:
    """Large parts are not searched whole, but frames stand among what is tried."""
    graph = scattered(20 + 7 * seed, 12, 0.1, seed)
    found, frames = cheapest_blocks(graph), frames_as_blocks(graph)

    assert longest(found) <= longest(frames)
    assert len(added_waits(graph, found)) <= len(added_waits(graph, frames))


def test_long_chains_with_a_few_arcs_between_keep_most_of_their_freedom() -> None:
    """Frames put all steps of all chains in order; blocks of chains need not."""
    chains = [[f"{letter}{step}" for step in range(12)] for letter in "abcdef"]
    graph = ExecutionGraph([*chains, ["a3", "b8"]])

    assert 2 * len(added_waits(graph, cheapest_blocks(graph))) < len(added_waits(graph, frames_as_blocks(graph)))


def test_durations_count() -> None:
    """A long stage goes beside another long one, though frames would put it after."""
    graph = ExecutionGraph([["a1", "a2"], ["b1", "b2"], ["a1", "b2"]])
    durations = {"a1": 1, "a2": 9, "b1": 9, "b2": 1}
    took = sum(
        max(sum(durations[node] for node in chain) for chain in block) for block in cheapest_blocks(graph, durations)
    )

    assert took == 11
    assert cheapest_blocks(graph) == (((("a1",), ("b1",))), ((("a2",), ("b2",))))


def test_no_nodes_make_no_blocks() -> None:
    """There is nothing to lay out."""
    assert cheapest_blocks(ExecutionGraph()) == ()
