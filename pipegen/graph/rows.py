"""Nodes in a row, so that those that belong together stand together."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

_NUMBER = re.compile(r"(\d+)")
# How often communities look at their neighbours, and how often communities are made of communities.
_ROUNDS, _LEVELS = 8, 6

Links = Mapping[int, Mapping[int, int]]


def by_name(name: str) -> tuple[tuple[int, str], ...]:
    """Return what sorts names as people do, 2 before 10."""
    return tuple((int(part), "") if part.isdigit() else (-1, part) for part in _NUMBER.split(name) if part)


def by_neighbours(before: Sequence[Sequence[int]]) -> list[int]:
    """Return the nodes of a graph with the predecessors *before*, community by community, else in their order.

    Every node takes the name that most of its neighbours have, a few times over; then communities do so as nodes.
    """
    links: dict[int, Counter[int]] = {node: Counter() for node in range(len(before))}
    for node, earlier in enumerate(before):
        for one in earlier:
            links[node][one] += 1
            links[one][node] += 1
    communities = [list(range(len(before)))]
    for _ in range(_LEVELS):
        names = _communities(links)
        if all(name == node for node, name in names.items()):
            break
        communities.append([names[name] for name in communities[-1]])
        links = _together(links, names)
    return sorted(range(len(before)), key=lambda node: [level[node] for level in reversed(communities)])


def _communities(links: Links) -> dict[int, int]:
    """Return the name of each node's community: that of a node in it."""
    names = {node: node for node in links}
    # A node looks again only where a neighbour has another name by then: else it would find what it has.
    looking = dict.fromkeys(links, True)
    for _ in range(_ROUNDS):
        is_settled = True
        for node, neighbours in links.items():
            if not looking[node]:
                continue
            looking[node] = False
            best = _most(names, neighbours, names[node])
            if best != names[node]:
                names[node] = best
                is_settled = False
                for neighbour in neighbours:
                    looking[neighbour] = True
        if is_settled:
            break
    return names


def _most(names: Mapping[int, int], neighbours: Mapping[int, int], now: int) -> int:
    """Return the name that weighs most among *neighbours*; *now*, then the lowest, where several do."""
    counts: dict[int, int] = {}
    for neighbour, weight in neighbours.items():
        name = names[neighbour]
        counts[name] = counts.get(name, 0) + weight
    best, most = now, counts.get(now, 0)
    for name, count in counts.items():
        if count > most or (count == most and name < best != now):
            best, most = name, count
    return best


def _together(links: Links, names: Mapping[int, int]) -> dict[int, Counter[int]]:
    """Return the links between communities."""
    found: dict[int, Counter[int]] = {name: Counter() for name in _used(names.values())}
    for node, neighbours in links.items():
        for neighbour, weight in neighbours.items():
            if names[node] != names[neighbour]:
                found[names[node]][names[neighbour]] += weight
    return found


def _used(names: Iterable[int]) -> list[int]:
    return sorted(set(names))
