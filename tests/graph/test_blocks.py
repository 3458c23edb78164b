"""Blocks: the graphs that they express exactly, and the waits that they add to others."""

from collections.abc import Iterator
from functools import cache
from itertools import combinations, permutations

import pytest
from graph.families import frames_as_blocks

from pipegen.graph.blocks import Block, Chain, ExtraWait, added_waits, blocks, direct_waits, is_layered
from pipegen.graph.execution import CycleError, ExecutionGraph

Order = frozenset[tuple[str, str]]
NODES = "abcde"


def all_acyclic(size: int) -> Iterator[ExecutionGraph]:
    """Yield every acyclic graph of *size* nodes, each shape at least once, with arcs forward and backward."""
    nodes = NODES[:size]
    pairs = list(combinations(nodes, 2))
    for chosen in range(2 ** len(pairs)):
        arcs = [pair for index, pair in enumerate(pairs) if chosen >> index & 1]
        yield ExecutionGraph([*((node,) for node in nodes), *arcs])
        yield ExecutionGraph([*((node,) for node in reversed(nodes)), *reversed(arcs)])


def order_of(placed: tuple[Block, ...]) -> Order:
    """Return all pairs (earlier, later) that *placed* enforces, by the definition of blocks and chains."""
    flat = [
        (node, number, (number, side), step)
        for number, block in enumerate(placed)
        for side, chain in enumerate(block)
        for step, node in enumerate(chain)
    ]
    return frozenset(
        (text, two)
        for text, block, side, step in flat
        for two, other_block, other_side, other_step in flat
        if block < other_block or (side == other_side and step < other_step)
    )


def required_order(graph: ExecutionGraph) -> Order:
    """Return all pairs (earlier, later) that *graph* requires."""
    return frozenset((earlier, node) for node in graph.nodes for earlier in graph.ancestors(node))


def all_chains(nodes: tuple[str, ...]) -> Iterator[Block]:
    """Yield every way to put all *nodes* into parallel chains."""
    if not nodes:
        yield ()
        return
    first, *rest = nodes
    for size in range(len(rest) + 1):
        for others in combinations(rest, size):
            left = tuple(node for node in rest if node not in others)
            for chain in permutations((first, *others)):
                for more in all_chains(left):
                    yield (chain, *more)


def all_blocks(nodes: tuple[str, ...]) -> Iterator[tuple[Block, ...]]:
    """Yield every way to put all *nodes* into a sequence of blocks."""
    if not nodes:
        yield ()
        return
    for size in range(1, len(nodes) + 1):
        for chosen in combinations(nodes, size):
            rest = tuple(node for node in nodes if node not in chosen)
            for block in all_chains(chosen):
                for more in all_blocks(rest):
                    yield (block, *more)


@cache
def expressible(size: int) -> dict[Order, int]:
    """Return every order that blocks of *size* nodes can express, with the largest number of blocks for it."""
    most_blocks: dict[Order, int] = {}
    for placed in all_blocks(tuple(NODES[:size])):
        order = order_of(placed)
        most_blocks[order] = max(most_blocks.get(order, 0), len(placed))
    return most_blocks


@pytest.mark.parametrize("size", range(6))
def test_blocks_are_found_whenever_they_exist(size: int) -> None:
    """All acyclic graphs of up to five nodes are tried; the result has the most blocks with exactly their order."""
    for graph in all_acyclic(size):
        order = required_order(graph)
        block_list = blocks(graph)

        assert (block_list is not None) == (order in expressible(size)), graph
        if block_list is not None:
            assert order_of(block_list) == order, graph
            assert len(block_list) == expressible(size)[order], graph


@pytest.mark.parametrize("size", range(5))
def test_added_and_direct_waits_are_exact_for_every_small_graph(size: int) -> None:
    """The added pairs are the difference of two orders; the direct ones imply them all and are minimal."""
    for graph in all_acyclic(size):
        placed = frames_as_blocks(graph)
        added = added_waits(graph, placed)
        direct = [
            (earlier, later) for wait in direct_waits(graph, placed) for later in wait.later for earlier in wait.earlier
        ]

        assert {(earlier, later) for later, earlier in added} == order_of(placed) - required_order(graph), graph
        assert len(added) == len(set(added)), graph
        assert required_order(graph | ExecutionGraph(direct)) == order_of(placed), graph
        for left_out in direct:
            rest = graph | ExecutionGraph([pair for pair in direct if pair != left_out])
            assert left_out not in required_order(rest), graph


def test_parallel_chains_are_between_single_blocks() -> None:
    """The graph is a typical service with redundant arcs, which change nothing."""
    graph = ExecutionGraph(
        [["lint", "build", "unit", "system", "release"], ["build", "docs", "release"], ["lint", "release"]]
    )

    assert blocks(graph) == ((("lint",),), (("build",),), (("unit", "system"), ("docs",)), (("release",),))


def test_chains_are_in_insertion_order() -> None:
    """A chain that is inserted from its end does not change this."""
    graph = ExecutionGraph([["z2", "end"], ["z1", "z2"], ["a", "end"]])

    assert blocks(graph) == ((("z1", "z2"), ("a",)), (("end",),))


@pytest.mark.parametrize(
    "arcs",
    [
        [["a", "c"], ["b", "c"], ["b", "d"]],
        [["build", "test"], ["build", "docs"], ["lint"]],
        [["a", "b", "d"], ["a", "c", "d"], ["x"]],
    ],
    ids=["N", "fork beside a node", "diamond beside a node"],
)
def test_other_graphs_have_no_blocks(arcs: list[list[str]]) -> None:
    """A fork or a join in parallel with another node cannot be expressed."""
    assert blocks(ExecutionGraph(arcs)) is None


def test_a_graph_with_a_cycle_is_an_error() -> None:
    """Added waits do not make blocks possible."""
    with pytest.raises(CycleError):
        blocks(ExecutionGraph([["a", "b", "a"]]))


def test_frames_become_blocks_of_single_nodes() -> None:
    """Each node is a chain."""
    graph = ExecutionGraph([["a", "b"], ["x"]])

    assert frames_as_blocks(graph) == ((("a",), ("x",)), (("b",),))


def test_added_waits_are_all_pairs_in_insertion_order() -> None:
    """Indirect pairs are included; pairs that the graph requires are excluded."""
    graph = ExecutionGraph([["a", "b", "c"], ["x", "y"]])

    assert added_waits(graph, frames_as_blocks(graph)) == (("b", "x"), ("c", "x"), ("c", "y"), ("y", "a"))


def test_direct_waits_are_grouped() -> None:
    """A message names each reason once."""
    graph = ExecutionGraph([["build", "unit"], ["build", "system"], ["lint", "docs"]])

    assert direct_waits(graph, frames_as_blocks(graph)) == (
        ExtraWait(later=("unit", "system"), earlier=("lint",)),
        ExtraWait(later=("docs",), earlier=("build",)),
    )


def test_exact_blocks_add_nothing() -> None:
    """There is nothing to report."""
    graph = ExecutionGraph([["a", "b", "c", "e"], ["a", "d", "e"]])
    placed = blocks(graph)

    assert placed is not None
    assert added_waits(graph, placed) == ()
    assert direct_waits(graph, placed) == ()


@pytest.mark.parametrize(
    ("chains", "message"),
    [
        ([("b", "a")], 'the blocks do not put "a" before "b"'),
        ([("a",), ("b",)], 'the blocks do not put "a" before "b"'),
        ([("a",)], "the blocks do not contain each node of the graph once"),
        ([("a", "b", "a")], "the blocks do not contain each node of the graph once"),
        ([("a", "b", "c")], "the blocks do not contain each node of the graph once"),
    ],
)
def test_blocks_of_another_graph_are_errors(chains: list[Chain], message: str) -> None:
    """Blocks that lose order or a node are a bug, and never count as free of waits."""
    graph = ExecutionGraph([["a", "b"]])

    for question in (added_waits, direct_waits):
        with pytest.raises(ValueError, match=message):
            question(graph, [tuple(chains)])


@pytest.mark.parametrize("size", range(1, 6))
def test_in_layers_nodes_that_are_not_ordered_have_the_same_ancestors(size: int) -> None:
    """So, when one of them can start, all can: in all graphs."""
    for graph in all_acyclic(size):
        ancestors = {node: frozenset(graph.ancestors(node)) for node in graph.nodes}
        unordered = [
            pair
            for pair in combinations(graph.nodes, 2)
            if pair[0] not in ancestors[pair[1]] and pair[1] not in ancestors[pair[0]]
        ]

        assert is_layered(graph) == all(ancestors[one] == ancestors[other] for one, other in unordered), graph
