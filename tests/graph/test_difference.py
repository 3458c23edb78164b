"""Waits that an actual graph adds to the expected one."""

from itertools import combinations, pairwise, product

import pytest
from graph.families import frames_as_blocks

from pipegen.graph.blocks import ExtraWait, added_waits, direct_waits
from pipegen.graph.difference import difference
from pipegen.graph.execution import ExecutionGraph

SKEWED = ExecutionGraph([["a", "c"], ["b", "c"], ["b", "d"]])


def test_equal_orders_have_no_difference() -> None:
    """Implied arcs do not matter."""
    result = difference(ExecutionGraph([["a", "b", "c"]]), ExecutionGraph([["a", "c"], ["a", "b"], ["b", "c"]]))

    assert (result.waits, result.pairs, result.lost, result.missing, result.extra) == ((), 0, 0, (), ())
    assert result.expected == result.actual == ("a", "b", "c")


def test_added_waits_are_minimal() -> None:
    """Direct waits are listed, and all pairs are counted."""
    result = difference(SKEWED, ExecutionGraph([["a", "b", "c"], ["a", "b", "d"], ["a", "c"]]))

    assert result.waits == (ExtraWait(("b",), ("a",)),)
    assert result.pairs == len([("a", "b"), ("a", "d")])
    assert (result.expected, result.actual) == (("a", "c"), ("a", "b", "c"))


def test_nodes_with_equal_waits_are_grouped() -> None:
    """They are in the order of the expected graph."""
    result = difference(ExecutionGraph([["a"], ["b"], ["c"]]), ExecutionGraph([["a", "c"], ["a", "b"]]))

    assert result.waits == (ExtraWait(("b", "c"), ("a",)),)


def test_missing_and_extra_nodes() -> None:
    """A node that waits for a helper also waits for its predecessors, through several helpers."""
    expected = ExecutionGraph([["a", "b", "c"], ["x"]])
    result = difference(expected, ExecutionGraph([["h", "a", "one", "two", "b"], ["c"]]))

    assert (result.missing, result.extra) == (("x",), ("h", "one", "two"))
    assert (result.waits, result.pairs) == ((), 0)
    assert result.lost == len([("a", "c"), ("b", "c")])


@pytest.mark.parametrize("size", [3, 4])
def test_difference_agrees_with_added_waits(size: int) -> None:
    """It is compared on the frames of all small graphs."""
    names = "abcd"[:size]
    pairs = list(combinations(names, 2))
    for chosen in product([False, True], repeat=len(pairs)):
        arcs = [pair for pair, is_in in zip(pairs, chosen, strict=True) if is_in]
        expected = ExecutionGraph([*((name,) for name in names), *arcs])
        frames = frames_as_blocks(expected)
        ends = [[node for chain in block for node in chain] for block in frames]
        actual = ExecutionGraph(
            [*((name,) for name in names), *(arc for blocks in pairwise(ends) for arc in product(*blocks))]
        )
        result = difference(expected, actual)

        assert result.pairs == len(added_waits(expected, frames))
        assert result.lost == 0
        assert {(node, earlier) for wait in result.waits for node in wait.later for earlier in wait.earlier} == {
            (node, earlier)
            for wait in direct_waits(expected, frames)
            for node in wait.later
            for earlier in wait.earlier
        }
