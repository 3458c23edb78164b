"""The longest path of a graph."""

import pytest

from pipegen.graph.execution import ExecutionGraph
from pipegen.graph.paths import growth, longest_path


def test_the_longest_chain_is_found() -> None:
    """It need not start at the first root."""
    assert longest_path(ExecutionGraph([["a", "d"], ["b", "c", "d"]])) == ("b", "c", "d")


def test_the_first_of_equally_long_paths_is_returned() -> None:
    """The first one in insertion order is returned."""
    assert longest_path(ExecutionGraph([["b", "c"], ["a", "c"]])) == ("b", "c")


def test_an_empty_graph_has_no_path() -> None:
    """A graph of single nodes has paths of one node."""
    assert longest_path(ExecutionGraph()) == ()
    assert longest_path(ExecutionGraph([["a"], ["b"]])) == ("a",)


@pytest.mark.parametrize(
    ("expected", "actual", "description"),
    [
        (1, 1, "the longest path stays at 1 stage"),
        (3, 3, "the longest path stays at 3 stages"),
        (4, 6, "the longest path grows from 4 to 6 stages"),
    ],
)
def test_growth_is_in_stages(expected: int, actual: int, description: str) -> None:
    """One stage has the singular."""
    assert growth(expected, actual) == description
