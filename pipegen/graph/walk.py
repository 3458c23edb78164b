"""Graph walks over numbered nodes, each linear in nodes and arcs and without recursion.

A node is its position in insertion order. *neighbours* lists the adjacent nodes of each node: the same walk goes
forward over successors and backward over predecessors.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence

Neighbours = Sequence[Sequence[int]]


def opposite(neighbours: Neighbours) -> list[list[int]]:
    """Return the adjacent nodes in the other direction: the successors of each node for predecessors."""
    others: list[list[int]] = [[] for _ in neighbours]
    for node, adjacent in enumerate(neighbours):
        for neighbour in adjacent:
            others[neighbour].append(node)
    return others


def reach(starts: Iterable[int], neighbours: Neighbours) -> list[int]:
    """Return *starts* and all nodes reachable from them, in insertion order."""
    reached = set(starts)
    waiting = list(reached)
    while waiting:
        for neighbour in neighbours[waiting.pop()]:
            if neighbour not in reached:
                reached.add(neighbour)
                waiting.append(neighbour)
    return sorted(reached)


def finish_order(neighbours: Neighbours) -> list[int]:
    """Return all nodes in insertion order, but each one after the nodes that are reachable from it.

    On a cycle, the node that is visited first comes last.
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
    """Yield nodes in depth-first order from *start*, each after its descendants; mark them as *seen*."""
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
    """Yield the strongly connected components, ancestors first (Kosaraju's algorithm)."""
    is_placed = bytearray(len(predecessors))
    for start in reversed(finish_order(successors)):
        if not is_placed[start]:
            yield _flood(start, predecessors, is_placed)


def _flood(start: int, neighbours: Neighbours, is_placed: bytearray) -> list[int]:
    """Return *start* and the nodes reachable from it past nodes that are not placed yet, and mark them as placed."""
    is_placed[start] = True
    flooded = [start]
    for node in flooded:
        for neighbour in neighbours[node]:
            if not is_placed[neighbour]:
                is_placed[neighbour] = True
                flooded.append(neighbour)
    return flooded


def shortest_cycle(component: Iterable[int], successors: Neighbours) -> list[int]:
    """Return a shortest cycle through the first node of a strongly connected component, with that node at both ends.

    Of equally short cycles, return the one whose arcs come first.
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
