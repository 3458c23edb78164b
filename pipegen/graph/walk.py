"""Walks over numbered nodes, each linear in nodes and arcs and without recursion.

A node is its place in the order of insertion. *neighbours* holds, for each node, those at the other end of its arcs:
the same walk goes forward over successors and back over predecessors.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence

Neighbours = Sequence[Sequence[int]]


def reach(starts: Iterable[int], neighbours: Neighbours) -> list[int]:
    """Return *starts* and all that can be reached from them, in insertion order."""
    found = set(starts)
    waiting = list(found)
    while waiting:
        for neighbour in neighbours[waiting.pop()]:
            if neighbour not in found:
                found.add(neighbour)
                waiting.append(neighbour)
    return sorted(found)


def finish_order(neighbours: Neighbours) -> list[int]:
    """Return all nodes in insertion order, but each one after those that can be reached from it.

    On a cycle no order can do that; there the node that is met first comes last.
    """
    order: list[int] = []
    seen = bytearray(len(neighbours))
    for start, below in enumerate(neighbours):
        if seen[start]:
            continue
        for neighbour in below:
            if not seen[neighbour]:
                order.extend(_finish_from(start, neighbours, seen))
                break
        else:
            seen[start] = True
            order.append(start)
    return order


def _finish_from(start: int, neighbours: Neighbours, seen: bytearray) -> Iterator[int]:
    """Walk depth first from *start*, marking what is *seen*; yield each node when nothing new is left below it."""
    seen[start] = True
    path = [(start, iter(neighbours[start]))]
    while path:
        node, rest = path[-1]
        below = next((neighbour for neighbour in rest if not seen[neighbour]), None)
        if below is None:
            path.pop()
            yield node
        else:
            seen[below] = True
            path.append((below, iter(neighbours[below])))


def components(predecessors: Neighbours, successors: Neighbours) -> Iterator[list[int]]:
    """Yield the strongly connected components, ancestors first (Kosaraju's two walks)."""
    is_placed = bytearray(len(predecessors))
    for start in reversed(finish_order(successors)):
        if not is_placed[start]:
            yield _flood(start, predecessors, is_placed)


def _flood(start: int, neighbours: Neighbours, is_placed: bytearray) -> list[int]:
    """Return *start* and what can be reached from it past nodes that are not yet placed, and place them."""
    is_placed[start] = True
    flooded = [start]
    for node in flooded:
        for neighbour in neighbours[node]:
            if not is_placed[neighbour]:
                is_placed[neighbour] = True
                flooded.append(neighbour)
    return flooded


def shortest_cycle(component: Iterable[int], successors: Neighbours) -> list[int]:
    """Return the shortest cycle through the first node of a knot, that node at both ends.

    Of several equally short ones it is the one whose arcs come first.
    """
    members = set(component)
    start = min(members)
    came_from: dict[int, int] = {}
    waiting = deque([start])
    while start not in came_from:
        node = waiting.popleft()
        for follower in successors[node]:
            if follower in members and follower not in came_from:
                came_from[follower] = node
                waiting.append(follower)
    backwards = [start, came_from[start]]
    while backwards[-1] != start:
        backwards.append(came_from[backwards[-1]])
    return backwards[::-1]
