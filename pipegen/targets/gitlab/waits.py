"""What stages wait for when some of them are in child pipelines."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from functools import cached_property

from pipegen.structs import Struct

_PARENT = -1


class Cost(Struct, order=True):
    """The stages on the longest path, and how many pairs of stages wait for each other without need."""

    path: int
    pairs: int


class Waits(Struct, dict=True, gc=True):
    """The order that the arcs ask for: *before* are the predecessors of each stage, by numbers.

    *order* holds the stages so that each comes after its predecessors. What comes before each is found out when it is
    asked for: of most graphs that cannot be cut it never is.
    """

    before: tuple[tuple[int, ...], ...]
    order: tuple[int, ...]

    @classmethod
    def of(cls, before: tuple[tuple[int, ...], ...]) -> Waits:
        """Return the whole order of the stages that *before* puts in order one by one."""
        order = tuple(_sorted(before))
        if len(order) < len(before):
            message = "the arcs of a pipeline make a circle"
            raise ValueError(message)
        return cls(before, order)

    @property
    def masks(self) -> tuple[int, ...]:
        """All that comes before each stage, as bits."""
        return self._whole.masks

    @property
    def path(self) -> int:
        """The stages on the longest path."""
        return self._whole.path

    @cached_property
    def _whole(self) -> _Order:
        return _Order.along(self.order, self.before, len(self.before))

    def cost(self, places: Sequence[int]) -> Cost | None:
        """Return what it costs that the stages are in the parts *places*; None where parts wait in a circle."""
        made = _Order.of(_joined(self.before, places), len(places))
        if made is None:
            return None
        pairs = sum((new & ~old).bit_count() for new, old in zip(made.masks, self.masks, strict=False))
        return Cost(made.path, pairs)

    def holds(self, places: Sequence[int]) -> bool:
        """Return whether no stages in the parts *places* wait in a circle."""
        nodes = [stage if part == _PARENT else -2 - part for stage, part in enumerate(places)]
        arcs = {(nodes[one], node) for node, earlier in zip(nodes, self.before, strict=True) for one in earlier}
        left = dict.fromkeys(nodes, 0)
        after: dict[int, list[int]] = {}
        for one, other in arcs:
            if one != other:
                left[other] += 1
                after.setdefault(one, []).append(other)
        ready = [node for node, count in left.items() if count == 0]
        for node in ready:
            for later in after.get(node, ()):
                left[later] -= 1
                if left[later] == 0:
                    ready.append(later)
        return len(ready) == len(left)

    def added(self, places: Sequence[int]) -> tuple[int, ...]:
        """Return what each stage comes after only because of the parts *places*, as bits."""
        made = _Order.of(_joined(self.before, places), len(places))
        found = made.masks if made is not None else self.masks
        return tuple(new & ~old for new, old in zip(found, self.masks, strict=False))


class _Order(Struct):
    """Nodes so that each comes after its predecessors, the stages before each, and how many are on the longest path."""

    order: tuple[int, ...]
    masks: tuple[int, ...]
    path: int

    @classmethod
    def of(cls, before: Sequence[Sequence[int]], stages: int) -> _Order | None:
        """Return the order of nodes with the predecessors *before*, the first of which are *stages*.

        None where they make a circle.
        """
        order = tuple(_sorted(before))
        return cls.along(order, before, stages) if len(order) == len(before) else None

    @classmethod
    def along(cls, order: tuple[int, ...], before: Sequence[Sequence[int]], stages: int) -> _Order:
        """Return the same of nodes that stand in *order*."""
        masks, lengths = [0] * len(before), [0] * len(before)
        for node in order:
            mask = length = 0
            for earlier in before[node]:
                mask |= masks[earlier] | (1 << earlier if earlier < stages else 0)
                length = max(length, lengths[earlier])
            masks[node], lengths[node] = mask, length + (node < stages)
        return cls(order, tuple(masks), max(lengths, default=0))


def _joined(before: Sequence[Sequence[int]], places: Sequence[int]) -> list[list[int]]:
    """Return the predecessors of each stage, and of each part's start and end, which are numbered after the stages."""
    used = [part for part in dict.fromkeys(places) if part != _PARENT]
    parts = {part: len(places) + 2 * number for number, part in enumerate(used)}
    found: list[list[int]] = [[] for _ in range(len(places) + 2 * len(parts))]
    for stage, earlier in enumerate(before):
        place = places[stage]
        if place != _PARENT:
            found[stage].append(parts[place])
            found[parts[place] + 1].append(stage)
        for one in earlier:
            if places[one] == place:
                found[stage].append(one)
            else:
                source = one if places[one] == _PARENT else parts[places[one]] + 1
                found[stage if place == _PARENT else parts[place]].append(source)
    return found


def _sorted(before: Sequence[Sequence[int]]) -> Iterator[int]:
    """Yield the nodes after their predecessors; those on circles, and what follows, not at all."""
    left = [len(earlier) for earlier in before]
    after: list[list[int]] = [[] for _ in before]
    for node, earlier in enumerate(before):
        for one in earlier:
            after[one].append(node)
    ready = deque(node for node, count in enumerate(left) if count == 0)
    while ready:
        node = ready.popleft()
        yield node
        for later in after[node]:
            left[later] -= 1
            if left[later] == 0:
                ready.append(later)
