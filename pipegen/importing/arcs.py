"""The arcs of `execution` for an order of stages: few and grouped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from pipegen.emit.yaml import Data

_Group = tuple[str, ...]


def reduced(predecessors: Mapping[str, AbstractSet[str]]) -> dict[str, tuple[str, ...]]:
    """Return the direct *predecessors* that no other predecessor implies, in the order of the mapping.

    *predecessors* have no cycle.
    """
    ancestors = closure(predecessors)
    return {
        name: tuple(
            predecessor
            for predecessor in predecessors
            if predecessor in direct
            and not any(predecessor in ancestors[other] for other in direct if other != predecessor)
        )
        for name, direct in predecessors.items()
    }


def closure(predecessors: Mapping[str, AbstractSet[str]]) -> dict[str, frozenset[str]]:
    """Return all direct and indirect predecessors of each name."""
    ancestors: dict[str, frozenset[str]] = {}
    for name in _sorted(predecessors):
        direct = predecessors[name]
        ancestors[name] = frozenset(direct).union(*(ancestors[one] for one in direct))
    return ancestors


def _sorted(predecessors: Mapping[str, AbstractSet[str]]) -> Iterator[str]:
    """Yield the names so that each comes after its predecessors."""
    done: set[str] = set()
    for start in predecessors:
        stack = [start]
        while stack:
            name = stack[-1]
            waiting = [one for one in predecessors[name] if one not in done]
            if name in done or not waiting:
                stack.pop()
                if name not in done:
                    done.add(name)
                    yield name
            else:
                stack += waiting


def arcs(predecessors: Mapping[str, AbstractSet[str]]) -> list[list[Data]]:
    """Return arcs that give exactly this order; [] if the stages run one after another in the order of the mapping."""
    direct = reduced(predecessors)
    names = list(predecessors)
    if [direct[name] for name in names] == [tuple(names[max(at - 1, 0) : at]) for at in range(len(names))]:
        return []
    groups = _groups(direct)
    group_of = {name: group for group in groups for name in group}
    followers: dict[_Group, list[_Group]] = {group: [] for group in groups}
    for group in groups:
        for earlier in dict.fromkeys(group_of[one] for one in direct[group[0]]):
            followers[earlier].append(group)
    paths = _paths(groups, followers)
    lonely = [group for group in groups if not any(group in path for path in paths)]
    single = tuple(name for group in lonely for name in group)
    return [[_entry(group) for group in path] for path in paths] + ([[_entry(single)]] if single else [])


def _entry(group: _Group) -> Data:
    return group[0] if len(group) == 1 else list(group)


def _groups(direct: Mapping[str, tuple[str, ...]]) -> list[_Group]:
    """Return the stages with the same predecessors and the same successors together."""
    successors: dict[str, list[str]] = {name: [] for name in direct}
    for name, earlier in direct.items():
        for predecessor in earlier:
            successors[predecessor].append(name)
    groups: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for name, earlier in direct.items():
        groups.setdefault((earlier, tuple(successors[name])), []).append(name)
    return [tuple(group) for group in groups.values()]


def _paths(groups: Sequence[_Group], followers: Mapping[_Group, Sequence[_Group]]) -> list[list[_Group]]:
    """Return paths that together have every pair of a group and a follower, the longest paths first."""
    open_: dict[_Group, list[_Group]] = {group: list(later) for group, later in followers.items()}
    entered = {later for one in followers.values() for later in one}
    paths: list[list[_Group]] = []
    for start in sorted(groups, key=lambda group: group in entered):
        while open_[start]:
            path = [start]
            while open_[path[-1]]:
                path.append(open_[path[-1]].pop(0))
            paths.append(path)
    return paths
