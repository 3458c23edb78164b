"""The order among some nodes of a graph."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pipegen.graph.execution import ExecutionGraph
from pipegen.graph.narrowing import narrowed

NAMES = "abcdefgh"


@st.composite
def narrowings(draw: st.DrawFn) -> tuple[ExecutionGraph, list[str]]:
    """Return a graph without cycles and some of its nodes, in any order."""
    pairs = [(one, other) for place, one in enumerate(NAMES) for other in NAMES[place + 1 :]]
    arcs = draw(st.lists(st.sampled_from(pairs)))
    graph = ExecutionGraph([*((name,) for name in draw(st.permutations(NAMES))), *arcs])
    return graph, draw(st.lists(st.sampled_from(NAMES), unique=True))


@given(narrowings())
def test_the_order_is_that_of_the_whole(drawn: tuple[ExecutionGraph, list[str]]) -> None:
    """Two nodes are in order exactly where they were; arcs between them stay, and no other is told without need."""
    graph, kept = drawn
    part = narrowed(graph, kept)
    whole, own = graph.closure(), part.closure()
    added = [arc for arc in part.arcs if arc not in graph.arcs]
    reduced = part.transitive_reduction()

    assert part.nodes == tuple(kept)
    assert all(own.is_before(one, other) == whole.is_before(one, other) for one in kept for other in kept)
    assert {arc for arc in graph.arcs if set(arc) <= set(kept)} <= set(part.arcs)
    assert all(arc in reduced.arcs for arc in added)


def test_a_node_left_out_is_bridged() -> None:
    """Through several of them too; what another way says is not said again."""
    graph = ExecutionGraph([["a", "b", "c", "d"], ["a", "e", "d"]])

    assert narrowed(graph, ["a", "d"]).arcs == (("a", "d"),)
    assert narrowed(graph, ["a", "e", "d"]).arcs == (("a", "e"), ("e", "d"))
    assert narrowed(graph, list(graph.nodes)) is graph
