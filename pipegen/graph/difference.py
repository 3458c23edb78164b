"""Two orders of the same nodes: what one asks for, and what another makes of it."""

from pipegen.graph.blocks import ExtraWait
from pipegen.graph.execution import ExecutionGraph
from pipegen.graph.narrowing import narrowed
from pipegen.graph.paths import longest_path
from pipegen.structs import Struct


class Difference(Struct, kw_only=True):
    """What a graph that was made adds to one that was asked for.

    Attributes:
        missing: nodes that were asked for and not made; nothing else is told of them.
        extra: nodes that were made unasked; who waits for one waits for what it waits for.
        waits: the fewest waits that imply all that are added, nodes with the same ones together.
        pairs: how many pairs are in order that were not asked to be.
        lost: how many pairs were asked to be in order and are not.
        asked: the longest path as asked for.
        made: the longest path as made.
    """

    missing: tuple[str, ...]
    extra: tuple[str, ...]
    waits: tuple[ExtraWait, ...]
    pairs: int
    lost: int
    asked: tuple[str, ...]
    made: tuple[str, ...]


def difference(asked: ExecutionGraph, made: ExecutionGraph) -> Difference:
    """Return how *made* differs from *asked*, far pairs too; costs the closure of both."""
    nodes = tuple(node for node in asked.nodes if node in made)
    wanted, given = narrowed(asked, nodes), narrowed(made, nodes)
    before, after = wanted.closure(), given.closure()
    both = tuple(zip(before.masks, after.masks, strict=True))
    later: dict[tuple[str, ...], list[str]] = {}
    reduced = given.transitive_reduction()
    for node in nodes:
        added = tuple(one for one in reduced.predecessors(node) if not before.is_before(one, node))
        if added:
            later.setdefault(added, []).append(node)
    return Difference(
        missing=tuple(node for node in asked.nodes if node not in made),
        extra=tuple(node for node in made.nodes if node not in asked),
        waits=tuple(ExtraWait(tuple(waiting), earlier) for earlier, waiting in later.items()),
        pairs=sum((there & ~needed).bit_count() for needed, there in both),
        lost=sum((needed & ~there).bit_count() for needed, there in both),
        asked=longest_path(wanted),
        made=longest_path(given),
    )
