"""What a graph that was made adds to one that was asked for."""

from itertools import combinations, pairwise, product

import pytest

from pipegen.graph.blocks import ExtraWait, added_waits, direct_waits, frames_as_blocks
from pipegen.graph.difference import difference
from pipegen.graph.execution import ExecutionGraph

SKEWED = ExecutionGraph([["a", "c"], ["b", "c"], ["b", "d"]])


def test_the_same_order_differs_in_nothing() -> None:
    """However it is told: far pairs may stand among the arcs."""
    found = difference(ExecutionGraph([["a", "b", "c"]]), ExecutionGraph([["a", "c"], ["a", "b"], ["b", "c"]]))

    assert (found.waits, found.pairs, found.lost, found.missing, found.extra) == ((), 0, 0, (), ())
    assert found.expected == found.actual == ("a", "b", "c")


def test_added_waits_are_told_in_the_fewest() -> None:
    """Each pair counts, however far; the message is short."""
    found = difference(SKEWED, ExecutionGraph([["a", "b", "c"], ["a", "b", "d"], ["a", "c"]]))

    assert found.waits == (ExtraWait(("b",), ("a",)),)
    assert found.pairs == len([("a", "b"), ("a", "d")])
    assert (found.expected, found.actual) == (("a", "c"), ("a", "b", "c"))


def test_nodes_with_the_same_waits_are_told_together() -> None:
    """In the order of what was asked for."""
    found = difference(ExecutionGraph([["a"], ["b"], ["c"]]), ExecutionGraph([["a", "c"], ["a", "b"]]))

    assert found.waits == (ExtraWait(("b", "c"), ("a",)),)


def test_what_was_not_made_and_what_was_made_unasked() -> None:
    """Who waits for a helper waits for what it waits for, through more than one of them."""
    asked = ExecutionGraph([["a", "b", "c"], ["x"]])
    found = difference(asked, ExecutionGraph([["h", "a", "one", "two", "b"], ["c"]]))

    assert (found.missing, found.extra) == (("x",), ("h", "one", "two"))
    assert (found.waits, found.pairs) == ((), 0)
    assert found.lost == len([("a", "c"), ("b", "c")])


@pytest.mark.parametrize("size", [3, 4])
def test_it_agrees_with_what_blocks_add(size: int) -> None:
    """On all small graphs, laid out as frames."""
    names = "abcd"[:size]
    pairs = list(combinations(names, 2))
    for chosen in product([False, True], repeat=len(pairs)):
        arcs = [pair for pair, is_in in zip(pairs, chosen, strict=True) if is_in]
        asked = ExecutionGraph([*((name,) for name in names), *arcs])
        frames = frames_as_blocks(asked)
        ends = [[node for chain in block for node in chain] for block in frames]
        made = ExecutionGraph([*((name,) for name in names), *(one for two in pairwise(ends) for one in product(*two))])
        found = difference(asked, made)

        assert found.pairs == len(added_waits(asked, frames))
        assert found.lost == 0
        assert {(node, one) for wait in found.waits for node in wait.later for one in wait.earlier} == {
            (node, one) for wait in direct_waits(asked, frames) for node in wait.later for one in wait.earlier
        }
