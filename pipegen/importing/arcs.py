"""The arcs of `execution` for an order of stages, few and grouped, and the stages of `finally`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import reduce
from itertools import chain
from operator import or_

from pipegen.emit.yaml import Data
from pipegen.structs import Struct

_Group = tuple[str, ...]
# The keys of `finally`.
ALWAYS, FAILED, SUCCESS = "always", "failed", "success"


class SelectedArc(Struct):
    """Names with brackets of combinations of two *stages*: the *later* ones wait for the *earlier* ones.

    If these are all of a stage, there are no brackets.
    """

    stages: tuple[str, str]
    earlier: tuple[str, ...]
    later: tuple[str, ...]


def reduced(predecessors: Mapping[str, AbstractSet[str]]) -> dict[str, tuple[str, ...]]:
    """Return the direct *predecessors* that no other predecessor implies, in the order of the mapping.

    The predecessors in a cycle, which no engine runs, are incomplete.
    """
    bits, ancestors = _ancestor_bits(predecessors)
    result: dict[str, tuple[str, ...]] = {}
    of_sets: dict[int, tuple[str, ...]] = {}  # by `id`: jobs of one stage share a set
    for name, direct in predecessors.items():
        if id(direct) not in of_sets:
            of_sets[id(direct)] = tuple(_names(predecessors, _any_of(bits, direct) & ~_any_of(ancestors, direct)))
        result[name] = of_sets[id(direct)]
    return result


def closure(predecessors: Mapping[str, AbstractSet[str]]) -> dict[str, frozenset[str]]:
    """Return all direct and indirect predecessors of each name."""
    _, ancestors = _ancestor_bits(predecessors)
    sets = {bits: frozenset(_names(predecessors, bits)) for bits in dict.fromkeys(ancestors.values())}
    return {name: sets[ancestors[name]] for name in predecessors}


def depths(predecessors: Mapping[str, AbstractSet[str]]) -> dict[str, int]:
    """Return the number of steps before each name, in none of which is a name after it."""
    steps: dict[str, int] = {}
    for name in in_order(predecessors):
        steps[name] = max((steps.get(earlier, 0) + 1 for earlier in predecessors[name]), default=0)
    return steps


def _ancestor_bits(predecessors: Mapping[str, AbstractSet[str]]) -> tuple[dict[str, int], dict[str, int]]:
    """Return a bit for each name, and the bits of all its direct and indirect predecessors.

    Numbers instead of sets: with thousands of names, nearly all of them come before the last ones.
    """
    bits = {name: 1 << at for at, name in enumerate(predecessors)}
    ancestors: dict[str, int] = {}
    of_sets: dict[int, int] = {}
    for name in in_order(predecessors):
        direct = predecessors[name]
        if id(direct) not in of_sets:
            of_sets[id(direct)] = _any_of(bits, direct) | _any_of(ancestors, direct)
        ancestors[name] = of_sets[id(direct)]
    return bits, ancestors


def _any_of(bits: Mapping[str, int], names: Iterable[str]) -> int:
    return reduce(or_, (bits.get(name, 0) for name in names), 0)


def _names(names: Iterable[str], bits: int) -> Iterator[str]:
    """Yield those of *names* whose bit is set in *bits*."""
    return (name for name, bit in zip(names, reversed(f"{bits:b}"), strict=False) if bit == "1")


def in_order(predecessors: Mapping[str, AbstractSet[str]]) -> Iterator[str]:
    """Yield the names so that each comes after its predecessors, unless they form a cycle."""
    entered, done = set[str](), set[str]()
    for start in predecessors:
        stack = [start]
        while stack:
            name = stack[-1]
            if name in done:
                stack.pop()
                continue
            entered.add(name)
            direct = predecessors[name]
            waiting = [each for each in direct if each not in entered] if not entered.issuperset(direct) else []
            if not waiting:
                done.add(name)
                yield name
            stack += waiting


def has_cycle(predecessors: Mapping[str, AbstractSet[str]]) -> bool:
    """Return whether a name is one of its own predecessors, direct or indirect."""
    done = set[str]()
    for name in in_order(predecessors):
        if not predecessors[name] <= done:
            return True
        done.add(name)
    return False


def arcs(predecessors: Mapping[str, AbstractSet[str]], selected: Sequence[SelectedArc] = ()) -> list[list[Data]]:
    """Return arcs that give exactly this order; [] if the stages run one after another in the order of the mapping.

    Stages also wait for *selected* combinations.
    """
    direct = reduced(predecessors)
    names = list(predecessors)
    is_chain = [direct[name] for name in names] == [tuple(names[max(at - 1, 0) : at]) for at in range(len(names))]
    if is_chain and not selected:
        return []
    for arc in selected:
        direct |= {name: direct.get(name, ()) for name in arc.earlier}
        direct |= {name: (*direct.get(name, ()), *arc.earlier) for name in arc.later}
    groups = _groups(direct)
    group_of = {name: group for group in groups for name in group}
    followers: dict[_Group, list[_Group]] = {group: [] for group in groups}
    for group in groups:
        for earlier in dict.fromkeys(group_of[predecessor] for predecessor in direct[group[0]]):
            followers[earlier].append(group)
    paths = _paths(groups, followers)
    lonely = [group for group in groups if not any(group in path for path in paths)]
    named = frozenset(chain.from_iterable(arc.stages for arc in selected))
    single = tuple(name for group in lonely for name in group if name not in named)
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
    entered = {later for successors in followers.values() for later in successors}
    paths: list[list[_Group]] = []
    for start in sorted(groups, key=lambda group: group in entered):
        while open_[start]:
            path = [start]
            while open_[path[-1]]:
                path.append(open_[path[-1]].pop(0))
            paths.append(path)
    return paths


def as_finally(statuses: Mapping[str, str]) -> Data:
    """Return the value of `finally` for stages with the keys there: a list if they run whatever the results."""
    groups: dict[str, Data] = {}
    for key in (ALWAYS, FAILED, SUCCESS):
        if names := [name for name, status in statuses.items() if status == key]:
            groups[key] = list(names)
    return list(statuses) if groups.keys() == {ALWAYS} else groups
