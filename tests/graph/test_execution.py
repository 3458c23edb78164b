"""ExecutionGraph: what arcs say, and the orders that follow from them."""

import pytest

from pipegen.graph.errors import CycleError, DoneError, SharedNodesError
from pipegen.graph.execution import ExecutionGraph

SERVICE = ExecutionGraph([["lint", "build", "test", "release"], ["build", "docs", "release"]])


def test_nodes_and_arcs_stand_in_the_order_told_and_once() -> None:
    """A name or a pair that comes again changes nothing."""
    graph = ExecutionGraph([["c", "a"], [], ["b"], ["c", "a", "b"], ["a"]])

    assert graph.nodes == ("c", "a", "b")
    assert graph.arcs == (("c", "a"), ("a", "b"))


def test_a_lone_name_adds_only_a_node() -> None:
    """An arc of one name neither orders nor re-roots a node that stands in another arc."""
    graph = ExecutionGraph([["a", "b"], ["b"], ["z"]])

    assert graph.stack() == (("a", "z"), ("b",))


def test_a_bare_name_is_no_arc() -> None:
    """A flat list of names is refused, and not read letter by letter."""
    with pytest.raises(TypeError, match="an arc is a sequence of names, and 'build' is one name"):
        ExecutionGraph(["build"])


def test_what_is_changed_after_construction_does_not_change_the_graph() -> None:
    """The graph keeps nothing of the lists it was made of, and has no attribute to set."""
    arc = ["a", "b"]
    graph = ExecutionGraph([arc])
    arc.append("c")

    assert graph.nodes == ("a", "b")
    with pytest.raises(AttributeError):
        graph.nodes = ()  # type: ignore[misc]


def test_neighbours_stand_in_the_order_of_their_arcs() -> None:
    """What comes directly before or after a node is told as the user wrote the arcs, not as names were first seen."""
    graph = ExecutionGraph([["a", "b"], ["z", "end"], ["b", "end"], ["a", "end"]])

    assert graph.predecessors("end") == ("z", "b", "a")
    assert graph.successors("a") == ("b", "end")
    assert (graph.in_degree("end"), graph.out_degree("end")) == (3, 0)
    assert (graph.in_degree("a"), graph.out_degree("a")) == (0, 2)


def test_ancestors_and_descendants_reach_all_the_way_in_the_order_told() -> None:
    """Neither holds the node itself."""
    assert SERVICE.ancestors("release") == ("lint", "build", "test", "docs")
    assert SERVICE.ancestors("lint") == ()
    assert SERVICE.descendants("build") == ("test", "release", "docs")
    assert SERVICE.descendants("release") == ()


def test_ancestors_of_a_larger_graph_keep_the_order_told() -> None:
    """It is not the order in which a set happens to hold them."""
    graph = ExecutionGraph([*([f"n{number}"] for number in range(9)), ["n8", "end"], ["n1", "end"]])

    assert graph.ancestors("end") == ("n1", "n8")


def test_a_node_on_a_cycle_is_its_own_ancestor() -> None:
    """The walk ends on a cycle, and says that the node comes before itself."""
    graph = ExecutionGraph([["in", "a", "b", "a"], ["b", "out"]])

    assert graph.ancestors("a") == ("in", "a", "b")
    assert graph.ancestors("out") == ("in", "a", "b")
    assert graph.descendants("in") == ("a", "b", "out")


def test_roots_and_leaves_are_the_ends_and_isolated_nodes_are_both() -> None:
    """Roots have nothing before them, leaves nothing after."""
    graph = ExecutionGraph([["a", "b", "c"], ["x", "b"], ["alone"]])

    assert graph.roots == ("a", "x", "alone")
    assert graph.leaves == ("c", "alone")


def test_an_unknown_name_is_a_key_error() -> None:
    """No question about a node has an answer for a name that is not one; asking whether it is one has."""
    for question in (SERVICE.ancestors, SERVICE.descendants, SERVICE.predecessors, SERVICE.successors):
        with pytest.raises(KeyError, match="tset"):
            question("tset")

    assert "tset" not in SERVICE
    assert "test" in SERVICE


def test_a_node_stands_in_the_first_frame_after_its_predecessors() -> None:
    """Frames are as early as possible, and keep the order told inside each."""
    graph = ExecutionGraph([["late", "end"], ["a", "b", "end"], ["x"], ["a", "end"]])

    assert graph.stack() == (("late", "a", "x"), ("b",), ("end",))


def test_an_empty_graph_has_empty_answers() -> None:
    """Nothing is a graph too."""
    graph = ExecutionGraph([])

    assert (graph.nodes, graph.arcs, graph.roots, graph.leaves) == ((), (), (), ())
    assert (graph.stack(), graph.topological(), graph.cycles(), graph.candidates()) == ((), (), (), ())


def test_topological_order_keeps_an_order_that_is_one_already() -> None:
    """Chains told one after the other are not shuffled into one another."""
    graph = ExecutionGraph([["a", "b", "c"], ["x", "y", "z"], ["b", "z"]])

    assert graph.topological() == ("a", "b", "c", "x", "y", "z")


def test_topological_order_puts_ancestors_right_before_the_node_that_was_told_too_early() -> None:
    """Only what has to move moves."""
    graph = ExecutionGraph([["c", "d"], ["a"], ["b", "c"]])

    assert graph.topological() == ("b", "c", "d", "a")


@pytest.mark.parametrize("question", [ExecutionGraph.stack, ExecutionGraph.topological])
def test_a_cycle_has_no_order(question: object) -> None:
    """The error tells the cycles, all of them, in words too."""
    graph = ExecutionGraph([["in", "b", "a", "b"], ["z", "z"]])

    assert callable(question)
    with pytest.raises(CycleError, match=r"^b -> a -> b; z -> z$") as raised:
        question(graph)
    assert raised.value.cycles == (("b", "a", "b"), ("z", "z"))


def test_candidates_are_what_may_start_next() -> None:
    """First the roots, then whatever has all its predecessors done, never what is done."""
    assert SERVICE.candidates() == ("lint",)
    assert SERVICE.candidates(["lint", "build"]) == ("test", "docs")
    assert SERVICE.candidates({"lint", "build", "docs"}) == ("test",)
    assert SERVICE.candidates(SERVICE.nodes) == ()


def test_candidates_refuse_a_done_node_whose_ancestor_is_not_done() -> None:
    """The first such node is named, and the predecessor that is missing."""
    with pytest.raises(DoneError, match='"test" cannot be done: "build", which comes before it, is not') as raised:
        SERVICE.candidates(["docs", "release", "test", "lint"])

    assert (raised.value.name, raised.value.missing) == ("test", "build")


def test_candidates_refuse_an_unknown_name() -> None:
    """Of several unknown names the same one is told each time."""
    with pytest.raises(DoneError, match='"lnt" cannot be done: it is not in the graph') as raised:
        SERVICE.candidates({"zzz", "lnt", "lint"})

    assert raised.value.missing is None


def test_a_node_on_a_cycle_never_becomes_a_candidate() -> None:
    """What waits for itself waits for ever; the rest goes on."""
    graph = ExecutionGraph([["a", "b", "a"], ["x", "y"]])

    assert graph.candidates(["x"]) == ("y",)


def test_union_holds_the_nodes_and_arcs_of_both() -> None:
    """The left graph's order comes first."""
    graph = ExecutionGraph([["x"], ["a", "b"]]) | ExecutionGraph([["b", "c"], ["x", "a"]])

    assert graph.nodes == ("x", "a", "b", "c")
    assert graph.arcs == (("a", "b"), ("b", "c"), ("x", "a"))


def test_concatenation_puts_every_leaf_before_every_root() -> None:
    """Isolated nodes are leaves and roots too; nodes and arcs stay in order."""
    graph = ExecutionGraph([["a", "b"], ["x"]]) + ExecutionGraph([["m", "n"], ["o"]])

    assert graph.arcs == (("a", "b"), ("m", "n"), ("b", "m"), ("b", "o"), ("x", "m"), ("x", "o"))
    assert graph.nodes == ("a", "b", "x", "m", "n", "o")


def test_concatenation_with_nothing_changes_nothing() -> None:
    """The empty graph is neutral on both sides."""
    assert SERVICE + ExecutionGraph() == SERVICE
    assert ExecutionGraph() + SERVICE == SERVICE


def test_concatenation_refuses_shared_nodes() -> None:
    """A shared node would have to come before itself; every shared one is named."""
    with pytest.raises(SharedNodesError, match=r'^both graphs hold "a", "c"$') as raised:
        ExecutionGraph([["a", "b", "c"]]) + ExecutionGraph([["c", "d"], ["a"]])

    assert raised.value.nodes == ("a", "c")


def test_graphs_are_equal_when_nodes_and_arcs_are_however_told() -> None:
    """The order of telling is for drawings, and is no part of what a graph is."""
    other = ExecutionGraph([["docs", "release"], ["lint", "build"], ["build", "docs"], ["build", "test", "release"]])

    assert other == SERVICE
    assert hash(other) == hash(SERVICE)


@pytest.mark.parametrize("arcs", [[["a", "b"], ["c"]], [["b", "a"]], [["a"], ["b"]], []])
def test_graphs_differ_by_a_node_or_an_arc(arcs: list[list[str]]) -> None:
    """One more node, an arc turned round or left out is another graph."""
    assert ExecutionGraph(arcs) != ExecutionGraph([["a", "b"]])


def test_a_graph_is_not_equal_to_other_things() -> None:
    """Comparison with something else is False, and no error."""
    assert SERVICE != [["lint", "build"]]


def test_repr_makes_the_same_graph_again() -> None:
    """Nodes keep their order too."""
    graph = ExecutionGraph([["b"], ["a", "b"]])
    again = eval(repr(graph))  # noqa: S307 - the text is our own

    assert again == graph
    assert again.nodes == graph.nodes


def test_transitive_reduction_drops_arcs_that_others_imply() -> None:
    """Order and nodes stay; what follows from a longer way goes."""
    graph = ExecutionGraph([["x"], ["a", "c"], ["a", "b", "c", "d"], ["a", "d"], ["b", "d"]])
    reduced = graph.transitive_reduction()

    assert reduced.arcs == (("a", "b"), ("b", "c"), ("c", "d"))
    assert reduced.nodes == graph.nodes


def test_a_cycle_has_no_transitive_reduction() -> None:
    """On a cycle each arc is implied by the others, so there is no one answer."""
    with pytest.raises(CycleError):
        ExecutionGraph([["a", "b", "a"]]).transitive_reduction()
