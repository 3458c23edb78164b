"""The order of a graph restricted to some of its nodes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pipegen.graph.execution import ExecutionGraph
from pipegen.graph.narrowing import narrowed

NAMES = "abcdefgh"


@st.composite
def narrowings(draw: st.DrawFn) -> tuple[ExecutionGraph, list[str]]:
    """Return an acyclic graph and some of its nodes, in any order."""
    pairs = [(first, second) for index, first in enumerate(NAMES) for second in NAMES[index + 1 :]]
    arcs = draw(st.lists(st.sampled_from(pairs)))
    graph = ExecutionGraph([*((name,) for name in draw(st.permutations(NAMES))), *arcs])
    return graph, draw(st.lists(st.sampled_from(NAMES), unique=True))


@given(narrowings())
def test_the_order_is_unchanged(drawn: tuple[ExecutionGraph, list[str]]) -> None:
    """Two nodes are ordered exactly if they were; arcs between them remain, and added arcs are minimal."""
    graph, nodes = drawn
    part = narrowed(graph, nodes)
    whole, own = graph.closure(), part.closure()
    added = [arc for arc in part.arcs if arc not in graph.arcs]
    reduced = part.transitive_reduction()

    assert part.nodes == tuple(nodes)
    assert all(own.is_before(node, other) == whole.is_before(node, other) for node in nodes for other in nodes)
    assert {arc for arc in graph.arcs if set(arc) <= set(nodes)} <= set(part.arcs)
    assert all(arc in reduced.arcs for arc in added)


def test_a_removed_node_is_replaced_by_an_arc() -> None:
    """A sequence of removed nodes is replaced by one arc, and implied order adds none."""
    graph = ExecutionGraph([["a", "b", "c", "d"], ["a", "e", "d"]])

    assert narrowed(graph, ["a", "d"]).arcs == (("a", "d"),)
    assert narrowed(graph, ["a", "e", "d"]).arcs == (("a", "e"), ("e", "d"))
    assert narrowed(graph, list(graph.nodes)) is graph
