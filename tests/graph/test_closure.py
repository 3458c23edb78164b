"""The closure: ancestors of all nodes as bits."""

from pipegen.graph.closure import bits
from pipegen.graph.execution import ExecutionGraph


def test_a_mask_has_a_bit_for_each_ancestor() -> None:
    """Bit i is the i-th node of the graph."""
    closure = ExecutionGraph([["a", "b", "d"], ["c", "d"]]).closure()

    assert closure.nodes == ("a", "b", "d", "c")
    assert [closure.mask(node) for node in closure.nodes] == [0b0, 0b1, 0b1011, 0b0]
    assert closure.names(closure.mask("d")) == ("a", "b", "c")


def test_is_before_is_one_way_and_not_for_the_node_itself() -> None:
    """Only an ancestor is before; parallel nodes are not."""
    closure = ExecutionGraph([["a", "b", "d"], ["c", "d"]]).closure()

    assert closure.is_before("a", "d")
    assert not closure.is_before("d", "a")
    assert not closure.is_before("a", "a")
    assert not closure.is_before("a", "c")


def test_nodes_of_a_cycle_are_before_each_other_and_themselves() -> None:
    """A graph with a cycle also has a closure."""
    closure = ExecutionGraph([["in", "a", "b", "a"], ["b", "out"], ["self", "self"]]).closure()

    assert closure.names(closure.mask("a")) == closure.names(closure.mask("b")) == ("in", "a", "b")
    assert closure.names(closure.mask("out")) == ("in", "a", "b")
    assert closure.is_before("self", "self")


def test_bits_are_in_ascending_order() -> None:
    """Zero has none, and a high bit is found."""
    assert list(bits(0)) == []
    assert list(bits(0b101001)) == [0, 3, 5]
    assert list(bits(1 << 70_000)) == [70_000]
