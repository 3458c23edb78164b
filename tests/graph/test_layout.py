"""The cheapest blocks, compared with all possible blocks and with frames."""

import random
from collections.abc import Iterator
from functools import cache
from itertools import combinations

import pytest
from graph.families import frames_as_blocks
from graph.test_blocks import NODES, Order, all_acyclic, order_of, required_order

from pipegen.graph.blocks import Block, added_waits, blocks
from pipegen.graph.execution import ExecutionGraph
from pipegen.graph.layout import cheapest_blocks

Cost = tuple[int, int]


def longest(placed: tuple[Block, ...]) -> int:
    """Return the longest path through *placed*, with a duration of 1 for each node."""
    return sum(max(map(len, block)) for block in placed)


def joined(block: tuple[str, ...], order: Order) -> list[set[str]]:
    """Return the nodes of *block* in groups that are connected in *order*."""
    groups: list[set[str]] = []
    for node in block:
        neighbours = [
            group for group in groups if any((member, node) in order or (node, member) in order for member in group)
        ]
        groups = [group for group in groups if group not in neighbours] + [{node}.union(*neighbours)]
    return groups


def all_costs(nodes: tuple[str, ...], order: Order) -> set[Cost]:
    """Return the longest path and the number of ordered pairs for every way to express at least *order* in blocks."""

    @cache
    def costs(done: frozenset[str]) -> frozenset[Cost]:
        return frozenset(_costs(done)) if len(done) < len(nodes) else frozenset({(0, 0)})

    def _costs(done: frozenset[str]) -> Iterator[Cost]:
        rest = [node for node in nodes if node not in done]
        for size in range(1, len(rest) + 1):
            for block in combinations(rest, size):
                after = done.union(block)
                if all(earlier in after for earlier, node in order if node in block):
                    groups = joined(block, order)
                    within = sum(len(group) * (len(group) - 1) // 2 for group in groups)
                    for path, pairs in costs(after):
                        yield path + max(map(len, groups)), pairs + within + len(done) * size

    return set(costs(frozenset()))


@pytest.mark.parametrize("size", range(1, 6))
def test_no_blocks_are_cheaper_for_any_small_graph(size: int) -> None:
    """For every order of up to five nodes, the longest path is minimal, and then the number of pairs."""
    orders = {required_order(graph): graph for graph in all_acyclic(size)}
    for order, graph in orders.items():
        cheapest = cheapest_blocks(graph)

        assert order_of(cheapest) >= order, graph
        assert (longest(cheapest), len(order_of(cheapest))) == min(all_costs(tuple(NODES[:size]), order)), graph


def all_orders(nodes: tuple[str, ...], order: Order) -> Iterator[tuple[Cost, frozenset[tuple[str, str]]]]:
    """Yield the cost of every way to express at least *order* in blocks, and the pairs that it orders."""
    graph = ExecutionGraph([*((node,) for node in nodes), *order])
    positions = {node: place for place, node in enumerate(graph.topological())}

    def orders(done: frozenset[str]) -> Iterator[tuple[int, frozenset[tuple[str, str]]]]:
        if len(done) == len(nodes):
            yield 0, frozenset()
        left = [node for node in nodes if node not in done]
        for size in range(1, len(left) + 1):
            for block in combinations(left, size):
                if all(earlier in done.union(block) for earlier, node in order if node in block):
                    groups = [sorted(group, key=positions.__getitem__) for group in joined(block, order)]
                    own = {pair for group in groups for pair in combinations(group, 2)}
                    own |= {(earlier, node) for earlier in done for node in block}
                    for path, rest in orders(done.union(block)):
                        yield path + max(map(len, groups)), rest | own

    for path, pairs in orders(frozenset()):
        yield (path, len(pairs)), pairs


@pytest.mark.parametrize("size", range(1, 5))
def test_equally_cheap_blocks_are_never_slower_than_frames(size: int) -> None:
    """If some of the cheapest blocks order only pairs that frames order, so does the result."""
    for order, graph in {required_order(graph): graph for graph in all_acyclic(size)}.items():
        rows, all_of_them = cheapest_blocks(graph), list(all_orders(tuple(NODES[:size]), order))
        cheapest = [pairs for cost, pairs in all_of_them if cost == min(all_of_them)[0]]
        frames = order_of(frames_as_blocks(graph))
        is_exact = len(order_of(rows)) == len(order)

        assert is_exact or (order_of(rows) <= frames) is any(pairs <= frames for pairs in cheapest), graph


@pytest.mark.parametrize("size", range(1, 6))
def test_exact_blocks_are_found(size: int) -> None:
    """If some blocks add nothing, they are the result."""
    for graph in all_acyclic(size):
        exact = blocks(graph)

        assert exact is None or cheapest_blocks(graph) == exact, graph


def scattered(size: int, reach: int, chance: float, seed: int) -> ExecutionGraph:
    """Return a graph of *size* nodes with arcs, by *chance*, to nodes up to *reach* later."""
    dice = random.Random(seed)  # noqa: S311 - a graph is no secret
    nodes = [f"n{place}" for place in range(size)]
    arcs = [
        (nodes[number], nodes[two])
        for number in range(size)
        for two in range(number + 1, min(size, number + reach))
        if dice.random() < chance
    ]
    return ExecutionGraph([*((node,) for node in nodes), *arcs])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(30))
def test_frames_are_never_cheaper(seed: int) -> None:
    """Large parts are not searched exhaustively, but frames are among the candidates."""
    graph = scattered(20 + 7 * seed, 12, 0.1, seed)
    cheapest, frames = cheapest_blocks(graph), frames_as_blocks(graph)

    assert longest(cheapest) <= longest(frames)
    assert len(added_waits(graph, cheapest)) <= len(added_waits(graph, frames))


def test_long_chains_with_few_arcs_remain_mostly_unordered() -> None:
    """Frames order the steps of all chains; blocks of chains do not."""
    chains = [[f"{letter}{step}" for step in range(12)] for letter in "abcdef"]
    graph = ExecutionGraph([*chains, ["a3", "b8"]])

    assert 2 * len(added_waits(graph, cheapest_blocks(graph))) < len(added_waits(graph, frames_as_blocks(graph)))


def test_starts_before_ends_of_two_crossed_chains() -> None:
    """Both starts form a block, and both ends."""
    graph = ExecutionGraph([["a1", "a2"], ["b1", "b2"], ["a1", "b2"]])

    assert cheapest_blocks(graph) == (((("a1",), ("b1",))), ((("a2",), ("b2",))))


def test_an_empty_graph_has_no_blocks() -> None:
    """There is nothing to arrange."""
    assert cheapest_blocks(ExecutionGraph()) == ()
