"""Comparison of two orders of the same nodes: the expected one and the actual one."""

from pipegen.graph.blocks import ExtraWait
from pipegen.graph.execution import ExecutionGraph
from pipegen.graph.narrowing import narrowed
from pipegen.graph.paths import longest_path
from pipegen.structs import Struct


class Difference(Struct, kw_only=True):
    """The waits that an actual graph adds to the expected one.

    Attributes:
        missing: expected nodes that the actual graph lacks; other fields ignore them.
        extra: additional nodes of the actual graph; a node that waits for one also waits for its predecessors.
        waits: the fewest waits that imply all added ones, with nodes grouped by equal waits.
        pairs: the number of ordered pairs that are not expected.
        lost: the number of expected ordered pairs that are missing.
        expected: the longest path as expected.
        actual: the longest path of the actual graph.
    """

    missing: tuple[str, ...]
    extra: tuple[str, ...]
    waits: tuple[ExtraWait, ...]
    pairs: int
    lost: int
    expected: tuple[str, ...]
    actual: tuple[str, ...]


def difference(expected: ExecutionGraph, actual: ExecutionGraph) -> Difference:
    """Return how *actual* differs from *expected*, including indirect order; computes both closures."""
    nodes = tuple(node for node in expected.nodes if node in actual)
    narrowed_expected, narrowed_actual = narrowed(expected, nodes), narrowed(actual, nodes)
    expected_closure, actual_closure = narrowed_expected.closure(), narrowed_actual.closure()
    masks = tuple(zip(expected_closure.masks, actual_closure.masks, strict=True))
    later: dict[tuple[str, ...], list[str]] = {}
    reduced = narrowed_actual.transitive_reduction()
    for node in nodes:
        added = tuple(
            predecessor
            for predecessor in reduced.predecessors(node)
            if not expected_closure.is_before(predecessor, node)
        )
        if added:
            later.setdefault(added, []).append(node)
    return Difference(
        missing=tuple(node for node in expected.nodes if node not in actual),
        extra=tuple(node for node in actual.nodes if node not in expected),
        waits=tuple(ExtraWait(tuple(waiting), earlier) for earlier, waiting in later.items()),
        pairs=sum((ordered & ~required).bit_count() for required, ordered in masks),
        lost=sum((required & ~ordered).bit_count() for required, ordered in masks),
        expected=longest_path(narrowed_expected),
        actual=longest_path(narrowed_actual),
    )
