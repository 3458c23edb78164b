"""ExecutionGraph: what comes before what, as arcs tell it."""

from collections.abc import Iterable, Sequence
from functools import cached_property, reduce
from itertools import chain, pairwise, product
from operator import or_

from pipegen.graph.closure import Closure, ancestor_masks
from pipegen.graph.errors import Cycle, CycleError, DoneError, SharedNodesError
from pipegen.graph.walk import components, finish_order, reach, shortest_cycle


class ExecutionGraph:
    """An immutable graph of named nodes, made of arcs: ``["a", "b", "c"]`` says that a comes before b, and b before c.

    Arcs share nodes. An arc of one name adds that node and no order; an empty one adds nothing. All answers come in the
    order in which names and pairs first stood in the arcs. A graph may hold cycles: whatever has no answer then raises
    `CycleError`. Unknown names raise `KeyError`. Everything is linear in nodes and arcs, where nothing else is said.
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
        self._places = {node: place for place, node in enumerate(self._nodes)}
        self._predecessors: list[list[int]] = [[] for _ in self._nodes]
        self._successors: list[list[int]] = [[] for _ in self._nodes]
        for earlier, later in self._arcs:
            before, after = self._places[earlier], self._places[later]
            self._predecessors[after].append(before)
            self._successors[before].append(after)

    # What it is made of

    @property
    def nodes(self) -> tuple[str, ...]:
        """All nodes."""
        return self._nodes

    @property
    def arcs(self) -> tuple[tuple[str, str], ...]:
        """All pairs of a node and one directly after it, each once."""
        return self._arcs

    def __contains__(self, node: object) -> bool:
        return node in self._places

    def __repr__(self) -> str:
        return f"ExecutionGraph({[list(arc) for arc in self._told()]})"

    def __eq__(self, other: object) -> bool:
        """Two graphs are equal when they have the same nodes and the same arcs, in whatever order they were told."""
        if not isinstance(other, ExecutionGraph):
            return NotImplemented
        return self._places.keys() == other._places.keys() and set(self._arcs) == set(other._arcs)

    def __hash__(self) -> int:
        return hash((frozenset(self._nodes), frozenset(self._arcs)))

    # One node and what is around it

    def predecessors(self, node: str) -> tuple[str, ...]:
        """Return the nodes directly before *node*, in the order of the arcs between them."""
        return self._names(self._predecessors[self._places[node]])

    def successors(self, node: str) -> tuple[str, ...]:
        """Return the nodes directly after *node*, in the order of the arcs between them."""
        return self._names(self._successors[self._places[node]])

    def in_degree(self, node: str) -> int:
        """Return how many nodes are directly before *node*."""
        return len(self._predecessors[self._places[node]])

    def out_degree(self, node: str) -> int:
        """Return how many nodes are directly after *node*."""
        return len(self._successors[self._places[node]])

    def ancestors(self, node: str) -> tuple[str, ...]:
        """Return all nodes before *node*, however far; *node* itself is one of them only when it is on a cycle."""
        return self._names(reach(self._predecessors[self._places[node]], self._predecessors))

    def descendants(self, node: str) -> tuple[str, ...]:
        """Return all nodes after *node*, however far; *node* itself is one of them only when it is on a cycle."""
        return self._names(reach(self._successors[self._places[node]], self._successors))

    # The whole order

    @property
    def roots(self) -> tuple[str, ...]:
        """The nodes with nothing before them."""
        return tuple(node for node, earlier in zip(self._nodes, self._predecessors, strict=True) if not earlier)

    @property
    def leaves(self) -> tuple[str, ...]:
        """The nodes with nothing after them."""
        return tuple(node for node, later in zip(self._nodes, self._successors, strict=True) if not later)

    def cycles(self) -> tuple[Cycle, ...]:
        """Return one cycle for each knot of nodes that come before one another, as ``("a", "b", "a")``.

        It is the shortest one through the knot's first node, and begins there.
        """
        if self._order is not None:
            return ()
        knots = sorted(filter(self._is_knot, components(self._predecessors, self._successors)), key=min)
        return tuple(self._names(shortest_cycle(knot, self._successors)) for knot in knots)

    def topological(self) -> tuple[str, ...]:
        """Return the nodes in an order that the arcs allow: as they were told, each right after its own ancestors."""
        return self._names(self._topological())

    def stack(self) -> tuple[tuple[str, ...], ...]:
        """Return the frames: a node stands in the first one that comes after the frames of all its predecessors."""
        levels = [0] * len(self._nodes)
        for place in self._topological():
            for earlier in self._predecessors[place]:
                if levels[earlier] >= levels[place]:
                    levels[place] = levels[earlier] + 1
        frames: list[list[str]] = [[] for _ in range(max(levels, default=-1) + 1)]
        for node, level in zip(self._nodes, levels, strict=True):
            frames[level].append(node)
        return tuple(map(tuple, frames))

    def candidates(self, done: Iterable[str] = ()) -> tuple[str, ...]:
        """Return the nodes that may start now: not *done* themselves, and nothing directly before them is not.

        Raises `DoneError` for a name in *done* that is unknown or has an ancestor that is not done.
        """
        names = set(done)
        if unknown := names - self._places.keys():
            raise DoneError(min(unknown, key=str))
        ready: list[str] = []
        for node, before in zip(self._nodes, self._predecessors, strict=True):
            missing = next((self._nodes[place] for place in before if self._nodes[place] not in names), None)
            if node in names and missing is not None:
                raise DoneError(node, missing)
            if node not in names and missing is None:
                ready.append(node)
        return tuple(ready)

    def closure(self) -> Closure:
        """Return the whole relation at once, also of a graph with cycles.

        It takes up to a bit for each pair of nodes (12 MB for 10,000 nodes, 1.2 GB for 100,000), and as much time for
        each arc as it takes to join two such rows.
        """
        return Closure(self._nodes, self._masks(), dict(self._places))

    # Other graphs from this one

    def transitive_reduction(self) -> "ExecutionGraph":
        """Return the graph without the arcs that others imply: the same order in the fewest arcs; costs a closure."""
        self._topological()
        masks = self._masks()
        implied = [reduce(or_, (masks[place] for place in before), 0) for before in self._predecessors]
        needed = (arc for arc in self._arcs if not implied[self._places[arc[1]]] >> self._places[arc[0]] & 1)
        return ExecutionGraph(chain(((node,) for node in self._nodes), needed))

    def __or__(self, other: "ExecutionGraph") -> "ExecutionGraph":
        """Return the union: the nodes and arcs of both."""
        return ExecutionGraph(chain(self._told(), other._told()))

    def __add__(self, other: "ExecutionGraph") -> "ExecutionGraph":
        """Return *other* put after this graph: every leaf of this one comes before every root of *other*.

        Raises `SharedNodesError` when a node is in both, for it would have to come before itself.
        """
        if shared := tuple(node for node in self._nodes if node in other):
            raise SharedNodesError(shared)
        return ExecutionGraph(chain(self._told(), other._told(), product(self.leaves, other.roots)))

    def _told(self) -> Iterable[Sequence[str]]:
        """Yield arcs that make this graph again, its nodes in the same order."""
        return chain(((node,) for node in self._nodes), self._arcs)

    def _names(self, places: Iterable[int]) -> tuple[str, ...]:
        nodes = self._nodes
        return tuple([nodes[place] for place in places])

    def _is_knot(self, component: list[int]) -> bool:
        return len(component) > 1 or component[0] in self._successors[component[0]]

    @cached_property
    def _order(self) -> Sequence[int] | None:
        """The places of the nodes in an order that the arcs allow; None where a cycle allows none."""
        order = finish_order(self._predecessors)
        is_past = bytearray(len(order))
        for place in order:
            for earlier in self._predecessors[place]:
                if not is_past[earlier]:
                    return None
            is_past[place] = True
        return order

    def _topological(self) -> Sequence[int]:
        if self._order is None:
            raise CycleError(self.cycles())
        return self._order

    def _masks(self) -> tuple[int, ...]:
        """Return the ancestors of each node, one bit each."""
        if self._order is None:
            return ancestor_masks(self._predecessors, components(self._predecessors, self._successors))
        return ancestor_masks(self._predecessors, ((place,) for place in self._order))
