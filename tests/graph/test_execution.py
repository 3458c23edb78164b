"""ExecutionGraph: arcs, and the orders that follow from them."""

import pytest

from pipegen.graph.execution import CycleError, DoneError, ExecutionGraph, SharedNodesError

SERVICE = ExecutionGraph([["lint", "build", "test", "release"], ["build", "docs", "release"]])


def test_nodes_and_arcs_are_unique_and_in_insertion_order() -> None:
    """A repeated name or pair changes nothing."""
    graph = ExecutionGraph([["c", "a"], [], ["b"], ["c", "a", "b"], ["a"]])

    assert graph.nodes == ("c", "a", "b")
    assert graph.arcs == (("c", "a"), ("a", "b"))


def test_an_arc_with_one_name_adds_only_a_node() -> None:
    """It does not change the order of a node in another arc."""
    graph = ExecutionGraph([["a", "b"], ["b"], ["z"]])

    assert graph.stack() == (("a", "z"), ("b",))


def test_a_bare_name_is_not_an_arc() -> None:
    """A flat list of names is an error, and not read letter by letter."""
    with pytest.raises(TypeError, match="an arc is a sequence of names, and 'build' is one name"):
        ExecutionGraph(["build"])


def test_the_graph_is_immutable() -> None:
    """The graph has no reference to the lists it was made of, and no public attribute to set."""
    arc = ["a", "b"]
    graph = ExecutionGraph([arc])
    arc.append("c")

    assert graph.nodes == ("a", "b")
    with pytest.raises(AttributeError):
        graph.nodes = ()  # type: ignore[misc]


def test_neighbours_are_in_the_order_of_their_arcs() -> None:
    """Predecessors and successors are in the order of the user's arcs, not of the first mention of names."""
    graph = ExecutionGraph([["a", "b"], ["z", "end"], ["b", "end"], ["a", "end"]])

    assert graph.predecessors("end") == ("z", "b", "a")
    assert graph.successors("a") == ("b", "end")
    assert (graph.in_degree("end"), graph.out_degree("end")) == (3, 0)
    assert (graph.in_degree("a"), graph.out_degree("a")) == (0, 2)


def test_ancestors_and_descendants_are_in_insertion_order() -> None:
    """Indirect ones are included; the node itself is not."""
    assert SERVICE.ancestors("release") == ("lint", "build", "test", "docs")
    assert SERVICE.ancestors("lint") == ()
    assert SERVICE.descendants("build") == ("test", "release", "docs")
    assert SERVICE.descendants("release") == ()


def test_ancestors_of_a_larger_graph_are_in_insertion_order() -> None:
    """They are not in the order of a set."""
    graph = ExecutionGraph([*([f"n{number}"] for number in range(9)), ["n8", "end"], ["n1", "end"]])

    assert graph.ancestors("end") == ("n1", "n8")


def test_a_node_on_a_cycle_is_its_own_ancestor() -> None:
    """The walk ends on a cycle, and the node comes before itself."""
    graph = ExecutionGraph([["in", "a", "b", "a"], ["b", "out"]])

    assert graph.ancestors("a") == ("in", "a", "b")
    assert graph.ancestors("out") == ("in", "a", "b")
    assert graph.descendants("in") == ("a", "b", "out")


def test_isolated_nodes_are_roots_and_leaves() -> None:
    """Other roots have no predecessors, and other leaves have no successors."""
    graph = ExecutionGraph([["a", "b", "c"], ["x", "b"], ["alone"]])

    assert graph.roots == ("a", "x", "alone")
    assert graph.leaves == ("c", "alone")


def test_an_unknown_name_is_a_key_error() -> None:
    """All methods of a node raise it; a membership test is False."""
    for question in (SERVICE.ancestors, SERVICE.descendants, SERVICE.predecessors, SERVICE.successors):
        with pytest.raises(KeyError, match="tset"):
            question("tset")

    assert "tset" not in SERVICE
    assert "test" in SERVICE


def test_a_node_is_in_the_first_frame_after_its_predecessors() -> None:
    """Frames are as early as possible, and each is in insertion order."""
    graph = ExecutionGraph([["late", "end"], ["a", "b", "end"], ["x"], ["a", "end"]])

    assert graph.stack() == (("late", "a", "x"), ("b",), ("end",))


def test_an_empty_graph_has_empty_results() -> None:
    """Every method has a result."""
    graph = ExecutionGraph([])

    assert (graph.nodes, graph.arcs, graph.roots, graph.leaves) == ((), (), (), ())
    assert (graph.stack(), graph.topological(), graph.cycles(), graph.candidates()) == ((), (), (), ())


def test_topological_order_keeps_a_valid_insertion_order() -> None:
    """Chains inserted in sequence are not interleaved."""
    graph = ExecutionGraph([["a", "b", "c"], ["x", "y", "z"], ["b", "z"]])

    assert graph.topological() == ("a", "b", "c", "x", "y", "z")


def test_topological_order_moves_only_late_ancestors() -> None:
    """They move directly before the node that needs them."""
    graph = ExecutionGraph([["c", "d"], ["a"], ["b", "c"]])

    assert graph.topological() == ("b", "c", "d", "a")


@pytest.mark.parametrize("question", [ExecutionGraph.stack, ExecutionGraph.topological])
def test_a_cycle_has_no_order(question: object) -> None:
    """The error has all the cycles, and its message describes them."""
    graph = ExecutionGraph([["in", "b", "a", "b"], ["z", "z"]])

    assert callable(question)
    with pytest.raises(CycleError, match=r"^b -> a -> b; z -> z$") as raised:
        question(graph)
    assert raised.value.cycles == (("b", "a", "b"), ("z", "z"))


def test_candidates_are_the_nodes_that_may_start() -> None:
    """These are the roots at first, then nodes whose predecessors are all done."""
    assert SERVICE.candidates() == ("lint",)
    assert SERVICE.candidates(["lint", "build"]) == ("test", "docs")
    assert SERVICE.candidates({"lint", "build", "docs"}) == ("test",)
    assert SERVICE.candidates(SERVICE.nodes) == ()


def test_candidates_reject_a_done_node_without_its_ancestors() -> None:
    """The error names the first such node and the missing predecessor."""
    with pytest.raises(DoneError, match='"test" cannot be done: "build", which comes before it, is not') as raised:
        SERVICE.candidates(["docs", "release", "test", "lint"])

    assert (raised.value.name, raised.value.missing) == ("test", "build")


def test_candidates_reject_an_unknown_name() -> None:
    """Of several unknown names, the error is always about the same one."""
    with pytest.raises(DoneError, match='"lnt" cannot be done: it is not in the graph') as raised:
        SERVICE.candidates({"zzz", "lnt", "lint"})

    assert raised.value.missing is None


def test_a_node_on_a_cycle_never_becomes_a_candidate() -> None:
    """A node on a cycle waits forever; other nodes continue."""
    graph = ExecutionGraph([["a", "b", "a"], ["x", "y"]])

    assert graph.candidates(["x"]) == ("y",)


def test_union_has_the_nodes_and_arcs_of_both() -> None:
    """The left graph's order comes first."""
    graph = ExecutionGraph([["x"], ["a", "b"]]) | ExecutionGraph([["b", "c"], ["x", "a"]])

    assert graph.nodes == ("x", "a", "b", "c")
    assert graph.arcs == (("a", "b"), ("b", "c"), ("x", "a"))


def test_concatenation_puts_every_leaf_before_every_root() -> None:
    """Isolated nodes are leaves and roots too; nodes and arcs stay in order."""
    graph = ExecutionGraph([["a", "b"], ["x"]]) + ExecutionGraph([["m", "n"], ["o"]])

    assert graph.arcs == (("a", "b"), ("m", "n"), ("b", "m"), ("b", "o"), ("x", "m"), ("x", "o"))
    assert graph.nodes == ("a", "b", "x", "m", "n", "o")


def test_concatenation_with_an_empty_graph_changes_nothing() -> None:
    """The empty graph is neutral on both sides."""
    assert SERVICE + ExecutionGraph() == SERVICE
    assert ExecutionGraph() + SERVICE == SERVICE


def test_concatenation_rejects_shared_nodes() -> None:
    """A shared node would have to come before itself; the error names every shared node."""
    with pytest.raises(SharedNodesError, match=r'^both graphs hold "a", "c"$') as raised:
        ExecutionGraph([["a", "b", "c"]]) + ExecutionGraph([["c", "d"], ["a"]])

    assert raised.value.nodes == ("a", "c")


def test_graphs_are_equal_regardless_of_insertion_order() -> None:
    """Insertion order matters only for drawings."""
    other = ExecutionGraph([["docs", "release"], ["lint", "build"], ["build", "docs"], ["build", "test", "release"]])

    assert other == SERVICE
    assert hash(other) == hash(SERVICE)


@pytest.mark.parametrize("arcs", [[["a", "b"], ["c"]], [["b", "a"]], [["a"], ["b"]], []])
def test_graphs_differ_by_a_node_or_an_arc(arcs: list[list[str]]) -> None:
    """An additional node, or a reversed or missing arc, makes a different graph."""
    assert ExecutionGraph(arcs) != ExecutionGraph([["a", "b"]])


def test_a_graph_is_not_equal_to_other_things() -> None:
    """The comparison is False, not an error."""
    assert SERVICE != [["lint", "build"]]


def test_repr_recreates_the_graph() -> None:
    """The order of nodes is the same."""
    graph = ExecutionGraph([["b"], ["a", "b"]])
    again = eval(repr(graph))  # noqa: S307 - the text is our own

    assert again == graph
    assert again.nodes == graph.nodes


def test_transitive_reduction_removes_implied_arcs() -> None:
    """Order and nodes remain."""
    graph = ExecutionGraph([["x"], ["a", "c"], ["a", "b", "c", "d"], ["a", "d"], ["b", "d"]])
    reduced = graph.transitive_reduction()

    assert reduced.arcs == (("a", "b"), ("b", "c"), ("c", "d"))
    assert reduced.nodes == graph.nodes


def test_a_cycle_has_no_transitive_reduction() -> None:
    """On a cycle the others imply each arc, so the result is ambiguous."""
    with pytest.raises(CycleError):
        ExecutionGraph([["a", "b", "a"]]).transitive_reduction()
