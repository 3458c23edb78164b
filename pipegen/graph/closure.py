"""The transitive closure of a graph: for each node, the set of its ancestors as one integer."""

from collections.abc import Iterable, Iterator, Sequence

from pipegen.graph.walk import Neighbours
from pipegen.structs import Struct


class Closure(Struct):
    """The transitive closure of a graph.

    Bit ``i`` of ``masks[j]`` is set if ``nodes[i]`` is an ancestor of ``nodes[j]``; a node on a cycle is its own
    ancestor.
    """

    nodes: tuple[str, ...]
    masks: tuple[int, ...]
    positions: dict[str, int]

    def mask(self, node: str) -> int:
        """Return the ancestors of *node* as bits."""
        return self.masks[self.positions[node]]

    def is_before(self, earlier: str, later: str) -> bool:
        """Return whether *earlier* is an ancestor of *later*."""
        return bool(self.masks[self.positions[later]] >> self.positions[earlier] & 1)

    def bits_of(self, nodes: Iterable[str]) -> int:
        """Return *nodes* as bits."""
        mask = 0
        for node in nodes:
            mask |= 1 << self.positions[node]
        return mask

    def names(self, mask: int) -> tuple[str, ...]:
        """Return the nodes whose bits are set in *mask*, in insertion order."""
        return tuple(self.nodes[index] for index in bits(mask))


def bits(mask: int) -> Iterator[int]:
    """Yield the indices of the bits set in *mask*, the lowest first."""
    digits = f"{mask:b}"[::-1]
    index = digits.find("1")
    while index >= 0:
        yield index
        index = digits.find("1", index + 1)


def ancestor_masks(predecessors: Neighbours, components: Iterable[Sequence[int]]) -> tuple[int, ...]:
    """Return the ancestors of each numbered node as bits; nodes of one component share theirs.

    *components* are the strongly connected components, each after its ancestors.
    """
    masks = [0] * len(predecessors)
    for component in components:
        mask = 0
        for node in component:
            for earlier in predecessors[node]:
                mask |= masks[earlier] | 1 << earlier
        for node in component:
            masks[node] = mask
    return tuple(masks)
