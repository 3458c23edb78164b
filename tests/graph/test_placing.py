"""Positions of boxes and lines: in columns, without overlap, with few crossings, and deterministic."""

from __future__ import annotations

import random
import time
from itertools import combinations, pairwise, permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipegen.graph.execution import ExecutionGraph
from pipegen.graph.placing.columns import Column, columns_of
from pipegen.graph.placing.crossings import crossings, ordered
from pipegen.graph.placing.positions import Box, Positions, Size, positions_of

SIZE = Size(80, 30)


def placed(graph: ExecutionGraph, straight: tuple[str, ...] = ()) -> Positions:
    """Return the positions of *graph* with boxes of one size."""
    return positions_of(graph, dict.fromkeys(graph.nodes, SIZE), straight)


def middle(box: Box) -> float:
    """Return the height of the ends of the lines of *box*."""
    return box.y + box.height / 2


def found_crossings(graph: ExecutionGraph) -> int:
    """Return the number of crossings in the resulting order."""
    columns = columns_of(graph)
    return crossings(columns, ordered(columns))


def counted(order: list[Column], after: tuple[tuple[int, ...], ...]) -> int:
    """Return the number of crossings, counted pair by pair."""
    number = 0
    for rest, right in pairwise(order):
        arcs = [(rest.index(earlier), right.index(later)) for earlier in rest for later in after[earlier]]
        number += sum((a[0] - b[0]) * (a[1] - b[1]) < 0 for a, b in combinations(arcs, 2))
    return number


def random_graph(stages: int, seed: int) -> ExecutionGraph:
    """Return a graph in which most arcs go to a nearby stage, and some go far."""
    dice = random.Random(seed)  # noqa: S311 - the same graph every time
    arcs = [[str(node)] for node in range(stages)]
    for node in range(1, stages):
        for _ in range(dice.choice((1, 1, 2, 3))):
            reach = 12 if dice.random() < 0.85 else 80
            arcs.append([str(max(0, node - dice.randint(1, reach))), str(node)])
    return ExecutionGraph(arcs)


graphs = st.builds(
    lambda size, pairs: ExecutionGraph(
        [*([str(node)] for node in range(size)), *([str(a), str(b)] for a, b in pairs if a < b < size)]
    ),
    st.integers(1, 9),
    st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=16),
)


@pytest.mark.slow
@given(graphs)
@settings(max_examples=150)
def test_boxes_are_in_columns_without_overlap(graph: ExecutionGraph) -> None:
    """A box is in the column of its frame, starts right of all earlier columns, and touches no other box."""
    result = placed(graph)
    lefts = [{result.boxes[node].x for node in frame} for frame in graph.stack()]

    assert all(len(left) == 1 for left in lefts)
    assert all(min(first) + SIZE.width < min(second) for first, second in pairwise(lefts))
    for first, second in combinations(result.boxes.values(), 2):
        assert first.x != second.x or abs(first.y - second.y) >= SIZE.height
    assert all(box.y >= 0 and box.y + box.height <= result.height for box in result.boxes.values())


@given(graphs)
@settings(max_examples=150)
def test_lines_connect_boxes_without_crossing_other_boxes(graph: ExecutionGraph) -> None:
    """In a column that it passes, a line is level and between boxes."""
    result = placed(graph)
    assert result.lines.keys() == set(graph.arcs)
    for (earlier, later), segments in result.lines.items():
        assert (segments[0].end, segments[0].y) == (result.boxes[earlier].x + SIZE.width, middle(result.boxes[earlier]))
        assert (segments[-1].start, segments[-1].y) == (result.boxes[later].x, middle(result.boxes[later]))
        assert all(first.end < second.start for first, second in pairwise(segments))
        for segment, (name, box) in product(segments[1:-1], result.boxes.items()):
            is_beside = segment.end <= box.x or segment.start >= box.x + box.width
            assert is_beside or abs(segment.y - middle(box)) > SIZE.height / 2, name


@given(graphs)
@settings(max_examples=60)
def test_crossings_equal_a_count_of_pairs(graph: ExecutionGraph) -> None:
    """The resulting order has at most as many crossings as the initial one."""
    columns = columns_of(graph)
    initial = [list(column) for column in columns.columns]

    assert crossings(columns, initial) == counted(initial, columns.successors)
    assert crossings(columns, ordered(columns)) <= crossings(columns, initial)


def test_separable_services_have_no_crossings() -> None:
    """Three parallel services are inserted in mixed order."""
    arcs = [[f"{name}{step}", f"{name}{step + 1}"] for step in (2, 0, 1) for name in ("b", "c", "a")]
    arcs += [[f"{name}0", f"{name}3"] for name in "cab"]

    assert found_crossings(ExecutionGraph(arcs)) == 0


@pytest.mark.slow
def test_small_graphs_usually_have_the_fewest_crossings() -> None:
    """The result equals the minimum over all orders in nine of ten graphs."""
    best = 0
    for seed in range(20):
        columns = columns_of(random_graph(9, seed))
        orders = product(*(map(list, permutations(column)) for column in columns.columns))
        minimum = min(crossings(columns, order) for order in orders)
        best += crossings(columns, ordered(columns)) == minimum

    assert best >= 18


@pytest.mark.slow
def test_a_large_graph_has_about_as_few_crossings_as_graphviz() -> None:
    """With the same columns, Graphviz' dot has 510 in this graph, and the libraries in docs/pictures.md have 645."""
    assert found_crossings(random_graph(300, 1)) <= 600


def test_the_straight_path_is_level() -> None:
    """This holds if no box blocks it."""
    graph = ExecutionGraph([["a", "b", "c", "d"], ["a", "x", "d"], ["a", "y", "d"]])
    boxes = placed(graph, ("a", "b", "c", "d")).boxes

    assert len({round(middle(boxes[node]), 3) for node in "abcd"}) == 1


def test_a_long_arc_is_level() -> None:
    """It passes all columns without a step in each."""
    graph = ExecutionGraph([["a", "b", "c", "d", "e"], ["a", "e"]])
    segments = placed(graph).lines["a", "e"]

    assert len({round(segment.y, 3) for segment in segments[1:-1]}) == 1


def test_arcs_of_one_stage_share_their_bends() -> None:
    """The bends of the shorter arc are the first of the longer one."""
    columns = columns_of(ExecutionGraph([["a", "b", "c", "d"], ["a", "c"], ["a", "d"]]))

    assert columns.chains["a", "c"] == columns.chains["a", "d"][:1]
    assert columns.trunks == (columns.chains["a", "d"],)


@pytest.mark.slow
def test_the_same_graph_has_the_same_positions() -> None:
    """They are computed twice in one process; test_determinism covers other processes."""
    assert placed(random_graph(80, 3)) == placed(random_graph(80, 3))


def test_an_empty_graph_has_no_positions() -> None:
    """A graph without nodes has no size."""
    assert placed(ExecutionGraph()) == Positions(boxes={}, lines={}, width=0.0, height=0.0)


def test_a_lone_stage_has_its_own_size() -> None:
    """There is space above and below it."""
    assert placed(ExecutionGraph([["a"]])).boxes == {"a": Box(0.0, 7.0, 80.0, 30.0)}


@pytest.mark.slow
def test_large_graphs_are_placed_fast() -> None:
    """Large graphs get fewer sweeps, and a stage that waits for thousands is fast too."""
    start = time.process_time()
    wide = ExecutionGraph([[str(node), "last"] for node in range(3_000)])

    dense = ExecutionGraph([[f"a{first}", f"b{second}"] for first in range(150) for second in range(150)])

    assert len(placed(wide).boxes) == 3_001
    assert len(placed(dense).boxes) == 300
    assert len(placed(random_graph(1_500, 2)).boxes) == 1_500
    assert len(placed(ExecutionGraph([[str(node) for node in range(5_000)]])).boxes) == 5_000
    assert time.process_time() - start < 30
