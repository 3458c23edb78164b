"""Cycles, orders and reachability, compared with plain definitions on every small graph."""

from collections.abc import Iterator
from itertools import chain, combinations, pairwise, permutations, product

import pytest

from pipegen.graph.execution import CycleError, ExecutionGraph

Pairs = set[tuple[str, str]]


def all_graphs() -> Iterator[ExecutionGraph]:
    """Yield every graph on three nodes, including loops, and every graph without loops on four."""
    for nodes, pairs in (("abc", list(product("abc", repeat=2))), ("abcd", list(permutations("abcd", 2)))):
        for arcs in chain.from_iterable(combinations(pairs, size) for size in range(len(pairs) + 1)):
            yield ExecutionGraph([*((node,) for node in nodes), *arcs])


def reachable(graph: ExecutionGraph) -> Pairs:
    """Return all pairs (earlier, later), by Warshall's three loops."""
    pairs = set(graph.arcs)
    for middle, first, last in product(graph.nodes, repeat=3):
        if (first, middle) in pairs and (middle, last) in pairs:
            pairs.add((first, last))
    return pairs


def shortest_cycle_length(graph: ExecutionGraph, start: str) -> int:
    """Return the number of arcs in the shortest cycle through *start*, by trying all sequences of nodes."""
    for length in range(1, len(graph.nodes) + 1):
        for middle in permutations([node for node in graph.nodes if node != start], length - 1):
            if set(pairwise([start, *middle, start])) <= set(graph.arcs):
                return length
    raise AssertionError(start)


def test_ancestors_descendants_and_closure_agree_with_warshall() -> None:
    """All three have the same result, with and without cycles."""
    for graph in all_graphs():
        pairs = reachable(graph)
        closure = graph.closure()
        results = {
            (earlier, later) for earlier, later in product(graph.nodes, repeat=2) if closure.is_before(earlier, later)
        }

        assert {(earlier, node) for node in graph.nodes for earlier in graph.ancestors(node)} == pairs, graph
        assert {(node, later) for node in graph.nodes for later in graph.descendants(node)} == pairs, graph
        assert results == pairs, graph


def test_each_component_has_its_shortest_cycle() -> None:
    """The cycle goes through the first node of its component, and cycles are in the order of these nodes."""
    for graph in all_graphs():
        pairs = reachable(graph)
        firsts = [
            node
            for index, node in enumerate(graph.nodes)
            if (node, node) in pairs
            and not any({(node, other), (other, node)} <= pairs for other in graph.nodes[:index])
        ]
        cycles = graph.cycles()

        assert [cycle[0] for cycle in cycles] == firsts, graph
        for cycle in cycles:
            assert cycle[0] == cycle[-1]
            assert set(pairwise(cycle)) <= set(graph.arcs), graph
            assert len(cycle) - 1 == shortest_cycle_length(graph, cycle[0]), graph


def test_orders_respect_every_arc_or_raise_the_cycles() -> None:
    """Topological order and frames contain each node once, and each arc goes forward in both."""
    for graph in all_graphs():
        if cycles := graph.cycles():
            with pytest.raises(CycleError) as raised:
                graph.topological()
            assert raised.value.cycles == cycles
            continue
        turn = {node: number for number, node in enumerate(graph.topological())}
        level = {node: number for number, frame in enumerate(graph.stack()) for node in frame}

        assert turn.keys() == level.keys() == set(graph.nodes), graph
        assert all(turn[earlier] < turn[later] for earlier, later in graph.arcs), graph
        for node in graph.nodes:
            assert level[node] == max((level[earlier] + 1 for earlier in graph.predecessors(node)), default=0), graph


def test_transitive_reduction_is_minimal() -> None:
    """It has the same order and needs each of its arcs."""
    for graph in all_graphs():
        if graph.cycles():
            continue
        reduced = graph.transitive_reduction()

        assert reachable(reduced) == reachable(graph), graph
        for left_out in reduced.arcs:
            assert left_out not in reachable(ExecutionGraph([arc for arc in reduced.arcs if arc != left_out])), graph


def test_two_interlocked_cycles_are_one_component() -> None:
    """The result is the shorter cycle, from the first node."""
    graph = ExecutionGraph([["in", "a", "b", "c", "a"], ["b", "a"], ["c", "out"]])

    assert graph.cycles() == (("a", "b", "a"),)


def test_separate_cycles_are_in_order() -> None:
    """A node between two components belongs to neither."""
    graph = ExecutionGraph([["z", "y", "z"], ["z", "between", "b"], ["b", "a", "b"], ["a", "a"]])

    assert graph.cycles() == (("z", "y", "z"), ("b", "a", "b"))
