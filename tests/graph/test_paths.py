"""The longest path."""

import pytest

from pipegen.graph.execution import ExecutionGraph
from pipegen.graph.paths import growth, longest_path


def test_the_longest_chain_is_found() -> None:
    """It need not begin at the first root."""
    assert longest_path(ExecutionGraph([["a", "d"], ["b", "c", "d"]])) == ("b", "c", "d")


def test_the_first_of_equals_counts() -> None:
    """As they were told."""
    assert longest_path(ExecutionGraph([["b", "c"], ["a", "c"]])) == ("b", "c")


def test_an_empty_graph_has_no_path() -> None:
    """And one of single nodes has paths of one."""
    assert longest_path(ExecutionGraph()) == ()
    assert longest_path(ExecutionGraph([["a"], ["b"]])) == ("a",)


@pytest.mark.parametrize(
    ("asked", "made", "said"),
    [
        (1, 1, "the longest path stays at 1 stage"),
        (3, 3, "the longest path stays at 3 stages"),
        (4, 6, "the longest path grows from 4 to 6 stages"),
    ],
)
def test_what_added_waits_cost_is_told(asked: int, made: int, said: str) -> None:
    """In stages."""
    assert growth(asked, made) == said
