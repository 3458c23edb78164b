"""ExecutionGraph: an immutable graph of arcs between named nodes."""

from collections.abc import Iterable, Sequence
from functools import cached_property, reduce
from itertools import chain, pairwise, product
from operator import or_

from pipegen.graph.closure import Closure, ancestor_masks
from pipegen.graph.walk import components, finish_order, reach, shortest_cycle

Cycle = tuple[str, ...]
"""The nodes of a cycle in the direction of its arcs; the first node is repeated at the end."""


class CycleError(ValueError):
    """A graph with cycles has no order; *cycles* holds one cycle per strongly connected component."""

    def __init__(self, cycles: tuple[Cycle, ...]) -> None:
        super().__init__("; ".join(" -> ".join(map(str, cycle)) for cycle in cycles))
        self.cycles = cycles


class DoneError(ValueError):
    """An impossible set of done nodes: *name* is unknown, or done before its predecessor *missing*."""

    def __init__(self, name: str, missing: str | None = None) -> None:
        reason = "it is not in the graph" if missing is None else f'"{missing}", which comes before it, is not'
        super().__init__(f'"{name}" cannot be done: {reason}')
        self.name = name
        self.missing = missing


class SharedNodesError(ValueError):
    """Two graphs in sequence share *nodes*, which would come before themselves."""

    def __init__(self, nodes: tuple[str, ...]) -> None:
        names = ", ".join(f'"{node}"' for node in nodes)
        super().__init__(f"both graphs hold {names}")
        self.nodes = nodes


class ExecutionGraph:
    """An immutable graph of named nodes, built from arcs: ``["a", "b", "c"]`` means a before b, and b before c.

    Arcs share nodes. An arc with one name adds that node without order; an empty arc adds nothing. All results are in
    the order in which names and pairs first appear in the arcs. A graph may contain cycles: methods without a result
    then raise `CycleError`. Unknown names raise `KeyError`. Everything is linear in nodes and arcs, unless stated
    otherwise.
    """

    def __init__(self, arcs: Iterable[Sequence[str]] = ()) -> None:
        names: dict[str, None] = {}
        pairs: dict[tuple[str, str], None] = {}
        for arc in arcs:
            if isinstance(arc, str):
                raise TypeError(f"an arc is a sequence of names, and {arc!r} is one name")
            for name in arc:
                names[name] = None
            for pair in pairwise(arc):
                pairs[pair] = None
        self._nodes = tuple(names)
        self._arcs = tuple(pairs)
        self._positions = positions = {node: position for position, node in enumerate(self._nodes)}
        self._predecessors: list[list[int]] = [[] for _ in self._nodes]
        self._successors: list[list[int]] = [[] for _ in self._nodes]
        for earlier, later in self._arcs:
            self._predecessors[positions[later]].append(positions[earlier])
            self._successors[positions[earlier]].append(positions[later])

    # Nodes and arcs

    @property
    def nodes(self) -> tuple[str, ...]:
        """All nodes."""
        return self._nodes

    @property
    def arcs(self) -> tuple[tuple[str, str], ...]:
        """All pairs of a node and its successor, each once."""
        return self._arcs

    def __contains__(self, node: object) -> bool:
        return node in self._positions

    def __repr__(self) -> str:
        return f"ExecutionGraph({[list(arc) for arc in self._all_arcs()]})"

    def __eq__(self, other: object) -> bool:
        """Two graphs are equal if they have the same nodes and the same arcs, in any order."""
        if not isinstance(other, ExecutionGraph):
            return NotImplemented
        return self._positions.keys() == other._positions.keys() and set(self._arcs) == set(other._arcs)

    def __hash__(self) -> int:
        return hash((frozenset(self._nodes), frozenset(self._arcs)))

    # Neighbours of a node

    def predecessors(self, node: str) -> tuple[str, ...]:
        """Return the nodes directly before *node*, in the order of the arcs between them."""
        return self._names(self._predecessors[self._positions[node]])

    def successors(self, node: str) -> tuple[str, ...]:
        """Return the nodes directly after *node*, in the order of the arcs between them."""
        return self._names(self._successors[self._positions[node]])

    def in_degree(self, node: str) -> int:
        """Return the number of nodes directly before *node*."""
        return len(self._predecessors[self._positions[node]])

    def out_degree(self, node: str) -> int:
        """Return the number of nodes directly after *node*."""
        return len(self._successors[self._positions[node]])

    def ancestors(self, node: str) -> tuple[str, ...]:
        """Return all nodes before *node*, directly or not; *node* itself only if it is on a cycle."""
        return self._names(reach(self._predecessors[self._positions[node]], self._predecessors))

    def descendants(self, node: str) -> tuple[str, ...]:
        """Return all nodes after *node*, directly or not; *node* itself only if it is on a cycle."""
        return self._names(reach(self._successors[self._positions[node]], self._successors))

    # The whole order

    @property
    def roots(self) -> tuple[str, ...]:
        """The nodes without predecessors."""
        return tuple(node for node, earlier in zip(self._nodes, self._predecessors, strict=True) if not earlier)

    @property
    def leaves(self) -> tuple[str, ...]:
        """The nodes without successors."""
        return tuple(node for node, later in zip(self._nodes, self._successors, strict=True) if not later)

    def cycles(self) -> tuple[Cycle, ...]:
        """Return one cycle for each cyclic strongly connected component, as ``("a", "b", "a")``.

        It is a shortest cycle through the component's first node, and starts there.
        """
        if self._order is not None:
            return ()
        cyclic = sorted(filter(self._is_cyclic, components(self._predecessors, self._successors)), key=min)
        return tuple(self._names(shortest_cycle(component, self._successors)) for component in cyclic)

    def topological(self) -> tuple[str, ...]:
        """Return the nodes in an order that the arcs allow: in insertion order, but each after its ancestors."""
        return self._names(self._topological())

    def stack(self) -> tuple[tuple[str, ...], ...]:
        """Return the frames: a node is in the first frame after the frames of all its predecessors."""
        levels = [0] * len(self._nodes)
        for position in self._topological():
            for earlier in self._predecessors[position]:
                if levels[earlier] >= levels[position]:
                    levels[position] = levels[earlier] + 1
        frames: list[list[str]] = [[] for _ in range(max(levels, default=-1) + 1)]
        for node, level in zip(self._nodes, levels, strict=True):
            frames[level].append(node)
        return tuple(map(tuple, frames))

    def candidates(self, done: Iterable[str] = ()) -> tuple[str, ...]:
        """Return the nodes that may start now: nodes that are not *done* and whose predecessors all are.

        Raise `DoneError` for a name in *done* that is unknown or has an ancestor that is not done.
        """
        names = set(done)
        if unknown := names - self._positions.keys():
            raise DoneError(min(unknown, key=str))
        ready: list[str] = []
        for node, predecessors in zip(self._nodes, self._predecessors, strict=True):
            missing = next(
                (self._nodes[position] for position in predecessors if self._nodes[position] not in names), None
            )
            if node in names and missing is not None:
                raise DoneError(node, missing)
            if node not in names and missing is None:
                ready.append(node)
        return tuple(ready)

    def closure(self) -> Closure:
        """Return the transitive closure, also of a graph with cycles.

        It takes up to a bit for each pair of nodes (12 MB for 10,000 nodes, 1.2 GB for 100,000), and for each arc the
        time to join two such rows.
        """
        return Closure(self._nodes, self._masks(), dict(self._positions))

    # Derived graphs

    def transitive_reduction(self) -> "ExecutionGraph":
        """Return the graph without implied arcs: the same order in the fewest arcs; computes a closure."""
        self._topological()
        masks = self._masks()
        implied = [
            reduce(or_, (masks[position] for position in predecessors), 0) for predecessors in self._predecessors
        ]
        needed = (arc for arc in self._arcs if not implied[self._positions[arc[1]]] >> self._positions[arc[0]] & 1)
        return ExecutionGraph(chain(((node,) for node in self._nodes), needed))

    def __or__(self, other: "ExecutionGraph") -> "ExecutionGraph":
        """Return the union: the nodes and arcs of both."""
        return ExecutionGraph(chain(self._all_arcs(), other._all_arcs()))

    def __add__(self, other: "ExecutionGraph") -> "ExecutionGraph":
        """Return this graph followed by *other*: every leaf of this one comes before every root of *other*.

        Raise `SharedNodesError` if a node is in both, since it would come before itself.
        """
        if shared := tuple(node for node in self._nodes if node in other):
            raise SharedNodesError(shared)
        return ExecutionGraph(chain(self._all_arcs(), other._all_arcs(), product(self.leaves, other.roots)))

    def _all_arcs(self) -> Iterable[Sequence[str]]:
        """Yield arcs that recreate this graph, with its nodes in the same order."""
        return chain(((node,) for node in self._nodes), self._arcs)

    def _names(self, positions: Iterable[int]) -> tuple[str, ...]:
        nodes = self._nodes
        return tuple([nodes[position] for position in positions])

    def _is_cyclic(self, component: list[int]) -> bool:
        return len(component) > 1 or component[0] in self._successors[component[0]]

    @cached_property
    def _order(self) -> Sequence[int] | None:
        """The positions of the nodes in an order that the arcs allow; None if there is a cycle."""
        order = finish_order(self._predecessors)
        is_past = bytearray(len(order))
        for position in order:
            for earlier in self._predecessors[position]:
                if not is_past[earlier]:
                    return None
            is_past[position] = True
        return order

    def _topological(self) -> Sequence[int]:
        if self._order is None:
            raise CycleError(self.cycles())
        return self._order

    def _masks(self) -> tuple[int, ...]:
        """Return the ancestors of each node as bits."""
        if self._order is None:
            return ancestor_masks(self._predecessors, components(self._predecessors, self._successors))
        return ancestor_masks(self._predecessors, ((position,) for position in self._order))
