"""A graph as blocks in sequence, each a set of parallel chains, and the waits that blocks add to a graph.

A block is complete before the next one starts; a chain runs its nodes one after the other.
"""

from collections.abc import Iterable, Iterator

from pipegen.graph.closure import Closure
from pipegen.graph.execution import ExecutionGraph
from pipegen.structs import Struct

Chain = tuple[str, ...]
Block = tuple[Chain, ...]


class ExtraWait(Struct):
    """Each node in *later* waits for all nodes in *earlier*, although the graph does not require it."""

    later: tuple[str, ...]
    earlier: tuple[str, ...]


def blocks(graph: ExecutionGraph) -> tuple[Block, ...] | None:
    """Return as many blocks as possible with exactly the order of *graph*, or None if there are none.

    A sequence of single nodes becomes a sequence of blocks with one chain of one node. An empty graph has no blocks:
    ``()``.
    """
    result: list[Block] = []
    for part in parts(graph):
        block = chains(part, graph)
        if block is None:
            return None
        result.append(block)
    return tuple(result)


def added_waits(graph: ExecutionGraph, blocks_: Iterable[Block]) -> tuple[tuple[str, str], ...]:
    """Return the pairs (later, earlier) that are ordered in *blocks_* and not in *graph*; computes a closure.

    Raise `ValueError` if *blocks_* does not contain each node of *graph*, or loses some of its order.
    """
    closure = graph.closure()
    masks = _enforced(tuple(blocks_), closure)
    return tuple(
        (node, earlier)
        for node, required in zip(closure.nodes, closure.masks, strict=True)
        for earlier in closure.names(masks[node] & ~required)
    )


def direct_waits(graph: ExecutionGraph, blocks_: Iterable[Block]) -> tuple[ExtraWait, ...]:
    """Return the fewest waits that imply all `added_waits`, with nodes grouped by equal waits."""
    in_order = tuple(blocks_)
    closure = graph.closure()
    _enforced(in_order, closure)
    later: dict[tuple[str, ...], list[str]] = {}
    for node, predecessors in _direct(in_order):
        added = tuple(earlier for earlier in predecessors if not closure.is_before(earlier, node))
        if added:
            later.setdefault(added, []).append(node)
    return tuple(ExtraWait(tuple(nodes), earlier) for earlier, nodes in later.items())


def parts(graph: ExecutionGraph) -> Iterator[list[str]]:
    """Yield the nodes of *graph* in the smallest parts of which each comes completely before the next.

    There is a cut where every leaf before it has an arc to every root after it: no shorter path could order the two.
    So the walk only counts these arcs, and is linear.
    """
    cut = _Cut(graph)
    part: list[str] = []
    for node in graph.topological():
        cut.move_past(node)
        part.append(node)
        if cut.is_clean():
            yield part
            part = []


def is_layered(graph: ExecutionGraph) -> bool:
    """Return whether nodes that are not ordered all wait for the same nodes, so that they may start at once."""
    return all(set(part).isdisjoint(graph.predecessors(node)) for part in parts(graph) for node in part)


class _Cut:
    """A position in a topological order: the leaves before it, the roots after it, and the arcs between them."""

    def __init__(self, graph: ExecutionGraph) -> None:
        self._graph = graph
        self._leaves: set[str] = set()
        self._roots = set(graph.roots)
        self._joining = 0
        self._missing = {node: graph.in_degree(node) for node in graph.nodes}

    def is_clean(self) -> bool:
        """Return whether all nodes after the cut wait for all nodes before it."""
        return self._joining == len(self._leaves) * len(self._roots)

    def move_past(self, node: str) -> None:
        """Move *node*, a root after the cut, to before it."""
        self._joining -= self._count_leaves_before(node)
        self._roots.remove(node)
        for earlier in self._graph.predecessors(node):
            if earlier in self._leaves:
                self._leaves.remove(earlier)
                self._joining -= sum(later in self._roots for later in self._graph.successors(earlier))
        self._leaves.add(node)
        for later in self._graph.successors(node):
            self._missing[later] -= 1
            if not self._missing[later]:
                self._roots.add(later)
                self._joining += self._count_leaves_before(later)

    def _count_leaves_before(self, node: str) -> int:
        return sum(earlier in self._leaves for earlier in self._graph.predecessors(node))


def chains(part: Iterable[str], graph: ExecutionGraph) -> Block | None:
    """Return *part* (in topological order) as unordered chains, or None if they fork or join."""
    chains_: list[list[str]] = []
    positions: dict[str, tuple[int, int]] = {}
    for node in part:
        predecessors = [positions[earlier] for earlier in graph.predecessors(node) if earlier in positions]
        number, length = (max(predecessors)[0], max(predecessors)[1] + 1) if predecessors else (len(chains_), 0)
        if predecessors and (min(predecessors)[0] != number or length != len(chains_[number])):
            return None
        if not predecessors:
            chains_.append([])
        chains_[number].append(node)
        positions[node] = (number, length)
    return tuple(map(tuple, chains_))


def _direct(blocks_: Iterable[Block]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each node with the nodes directly before it in *blocks_*."""
    ends: tuple[str, ...] = ()
    for block in blocks_:
        for chain in block:
            previous = ends
            for node in chain:
                yield node, previous
                previous = (node,)
        ends = tuple(chain[-1] for chain in block if chain) or ends


def _enforced(blocks_: tuple[Block, ...], closure: Closure) -> dict[str, int]:
    """Return the bits of all nodes before each node in *blocks_*; check that no order is lost."""
    nodes = [node for block in blocks_ for chain in block for node in chain]
    if len(nodes) != len(closure.nodes) or set(nodes) != set(closure.nodes):
        raise ValueError("the blocks do not contain each node of the graph once")
    masks: dict[str, int] = {}
    done = 0
    for block in blocks_:
        after = done
        for chain in block:
            before = done
            for node in chain:
                masks[node] = before
                before |= 1 << closure.positions[node]
            after |= before
        done = after
    for node, required in zip(closure.nodes, closure.masks, strict=True):
        if lost := closure.names(required & ~masks[node]):
            raise ValueError(f'the blocks do not put "{lost[0]}" before "{node}"')
    return masks
