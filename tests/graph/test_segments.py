"""Rows of nodes, and where they are cut."""

from __future__ import annotations

from pipegen.graph.rows import by_name, by_neighbours
from pipegen.graph.segments import Segments, segments


def test_a_row_is_cut_where_the_fewest_arcs_span() -> None:
    """Two triangles with one arc between them are cut apart."""
    before = [(), (0,), (0, 1), (2,), (3,), (3, 4)]

    assert segments(range(6), before, [1] * 6, 4) == Segments((3, 6), 1)


def test_no_more_segments_than_needed() -> None:
    """Where no arc is spanned, the fewest segments that fit."""
    found = segments(range(10), [()] * 10, [1] * 10, 5)

    assert found is not None
    assert (len(found.ends), found.spans) == (2, 0)


def test_a_node_that_fits_nowhere() -> None:
    """It cannot be put into any segment."""
    assert segments(range(3), [()] * 3, [1, 9, 1], 5) is None


def test_an_empty_row_has_no_segments() -> None:
    """Nothing is cut."""
    assert segments([], [], [], 5) == Segments((), 0)


def test_numbers_in_names_count() -> None:
    """As people sort them, whatever stands around."""
    assert sorted(["b10", "a9", "b2", "b", "10"], key=by_name) == ["a9", "b", "b2", "b10", "10"]


def test_neighbours_stand_together() -> None:
    """Communities written in turns come out one after the other."""
    before: list[list[int]] = [[] for _ in range(20)]
    for node in range(2, 20):
        before[node] = list(range(node % 2, node, 2))[-3:]
    row = by_neighbours(before)

    assert row == [*range(0, 20, 2), *range(1, 20, 2)]
