"""A graph as blocks in sequence, each a few chains side by side; and the waits that such blocks add to a graph.

A block is complete before the next one starts; a chain runs its nodes one after the other.
"""

from collections.abc import Iterable, Iterator

from pipegen.graph.closure import Closure
from pipegen.graph.execution import ExecutionGraph
from pipegen.structs import Struct

Chain = tuple[str, ...]
Block = tuple[Chain, ...]


class ExtraWait(Struct):
    """Each node of *later* waits for all of *earlier*, which the graph does not ask for."""

    later: tuple[str, ...]
    earlier: tuple[str, ...]


def blocks(graph: ExecutionGraph) -> tuple[Block, ...] | None:
    """Return the blocks that say exactly the order of *graph*, as many as there can be, or None when no blocks do.

    A run of single nodes is a run of blocks of one chain of one node. An empty graph has no blocks: ``()``.
    """
    found: list[Block] = []
    for part in parts(graph):
        block = chains(part, graph)
        if block is None:
            return None
        found.append(block)
    return tuple(found)


def frames_as_blocks(graph: ExecutionGraph) -> tuple[Block, ...]:
    """Return the frames of *graph* as blocks, a node a chain; every graph can run so, with added waits."""
    return tuple(tuple((node,) for node in frame) for frame in graph.stack())


def added_waits(graph: ExecutionGraph, placed: Iterable[Block]) -> tuple[tuple[str, str], ...]:
    """Return each pair (later, earlier) that *placed* puts in order and *graph* does not, however far; costs a closure.

    *placed* holds the nodes of *graph* in blocks; `ValueError` when it does not, or loses some order of *graph*.
    """
    closure = graph.closure()
    masks = _enforced(tuple(placed), closure)
    return tuple(
        (node, earlier)
        for node, required in zip(closure.nodes, closure.masks, strict=True)
        for earlier in closure.names(masks[node] & ~required)
    )


def direct_waits(graph: ExecutionGraph, placed: Iterable[Block]) -> tuple[ExtraWait, ...]:
    """Return the fewest waits that imply all `added_waits`, nodes with the same ones together: what a message tells."""
    in_order = tuple(placed)
    closure = graph.closure()
    _enforced(in_order, closure)
    later: dict[tuple[str, ...], list[str]] = {}
    for node, before in _direct(in_order):
        added = tuple(earlier for earlier in before if not closure.is_before(earlier, node))
        if added:
            later.setdefault(added, []).append(node)
    return tuple(ExtraWait(tuple(nodes), earlier) for earlier, nodes in later.items())


def parts(graph: ExecutionGraph) -> Iterator[list[str]]:
    """Yield the nodes of *graph* in the smallest parts of which each comes wholly before the next.

    A cut is where every leaf of what lies before has an arc to every root of what lies after: nothing shorter than an
    arc could order these two. So the walk only counts those arcs, and is linear.
    """
    cut = _Cut(graph)
    part: list[str] = []
    for node in graph.topological():
        cut.move_past(node)
        part.append(node)
        if cut.is_clean():
            yield part
            part = []


class _Cut:
    """A place in a topological order: the leaves before it, the roots after it, and how many arcs join these."""

    def __init__(self, graph: ExecutionGraph) -> None:
        self._graph = graph
        self._leaves: set[str] = set()
        self._roots = set(graph.roots)
        self._joining = 0
        self._missing = {node: graph.in_degree(node) for node in graph.nodes}

    def is_clean(self) -> bool:
        """Return whether all that lies after waits for all that lies before."""
        return self._joining == len(self._leaves) * len(self._roots)

    def move_past(self, node: str) -> None:
        """Move *node*, a root, from after the cut to before it."""
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
    """Return *part* (in topological order) as chains with no order between them, or None when they fork or join."""
    found: list[list[str]] = []
    places: dict[str, tuple[int, int]] = {}
    for node in part:
        before = [places[earlier] for earlier in graph.predecessors(node) if earlier in places]
        number, length = (max(before)[0], max(before)[1] + 1) if before else (len(found), 0)
        if before and (min(before)[0] != number or length != len(found[number])):
            return None
        if not before:
            found.append([])
        found[number].append(node)
        places[node] = (number, length)
    return tuple(map(tuple, found))


def _direct(placed: Iterable[Block]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each node with those that *placed* puts directly before it."""
    ends: tuple[str, ...] = ()
    for block in placed:
        for chain in block:
            before = ends
            for node in chain:
                yield node, before
                before = (node,)
        ends = tuple(chain[-1] for chain in block if chain) or ends


def _enforced(placed: tuple[Block, ...], closure: Closure) -> dict[str, int]:
    """Return, for each node, the bits of all nodes that *placed* puts before it; check that nothing is lost."""
    told = [node for block in placed for chain in block for node in chain]
    if len(told) != len(closure.nodes) or set(told) != set(closure.nodes):
        raise ValueError("the blocks do not hold each node of the graph once")
    masks: dict[str, int] = {}
    done = 0
    for block in placed:
        passed = done
        for chain in block:
            before = done
            for node in chain:
                masks[node] = before
                before |= 1 << closure.positions[node]
            passed |= before
        done = passed
    for node, required in zip(closure.nodes, closure.masks, strict=True):
        if lost := closure.names(required & ~masks[node]):
            raise ValueError(f'the blocks do not put "{lost[0]}" before "{node}"')
    return masks
