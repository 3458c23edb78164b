"""Graphs with typical shapes of pipelines, small and large; the same numbers give the same graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations, permutations
from random import Random
from types import MappingProxyType

from pipegen.graph.execution import ExecutionGraph

_NO_KEYS: Mapping[str, str] = MappingProxyType({})


def all_small(size: int) -> Iterator[ExecutionGraph]:
    """Yield every acyclic graph of *size* nodes once, up to renaming its nodes."""
    names = [f"s{number}" for number in range(size)]
    pairs = list(combinations(range(size), 2))
    seen: set[frozenset[tuple[int, int]]] = set()
    for chosen in range(2 ** len(pairs)):
        arcs = [pair for index, pair in enumerate(pairs) if chosen >> index & 1]
        if frozenset(arcs) in seen:
            continue
        seen |= {
            frozenset((turn[earlier], turn[later]) for earlier, later in arcs) for turn in permutations(range(size))
        }
        yield _graph(names, [(names[earlier], names[later]) for earlier, later in arcs])


def layered(size: int, random: Random) -> ExecutionGraph:
    """Return layers of about six nodes, each after one to three of the layer before."""
    layers: list[list[str]] = [[]]
    arcs: list[tuple[str, str]] = []
    for number in range(size):
        if len(layers[-1]) >= random.randint(4, 8):
            layers.append([])
        name = f"l{number}"
        if len(layers) > 1:
            arcs += [
                (predecessor, name)
                for predecessor in random.sample(layers[-2], min(random.randint(1, 3), len(layers[-2])))
            ]
        layers[-1].append(name)
    return _graph([name for layer in layers for name in layer], arcs)


def scattered(size: int, random: Random) -> ExecutionGraph:
    """Return nodes that each follow up to three of the previous ten."""
    names = [f"r{number}" for number in range(size)]
    arcs = [
        (text, name)
        for number, name in enumerate(names)
        for text in random.sample(names[max(0, number - 10) : number], min(number, random.randint(0, 3)))
    ]
    return _graph(names, arcs)


def series_parallel(size: int, random: Random) -> ExecutionGraph:
    """Return parts in sequence or in parallel, which are composed of such parts."""
    if size <= 1:
        return ExecutionGraph([[f"p{random.getrandbits(64):x}"]])
    left = random.randint(1, size - 1)
    graph, other = series_parallel(left, random), series_parallel(size - left, random)
    return graph + other if random.random() < 0.5 else graph | other


def crossed(size: int, random: Random) -> ExecutionGraph:
    """Return N shapes in parallel: one of two late nodes waits for both early ones, the other for one."""
    arcs: list[tuple[str, ...]] = []
    for number in range(max(1, size // 4)):
        a, b, c, d = (f"{letter}{number}" for letter in "abcd")
        arcs += [(a, c), (b, c), (b, d)]
        if number and random.random() < 0.5:
            arcs.append((f"d{number - 1}", a))
    return ExecutionGraph(arcs)


def joined(size: int, random: Random) -> ExecutionGraph:
    """Return many nodes that one node waits for, with a second join of some of them."""
    early = [f"j{number}" for number in range(size - 2)]
    arcs = [(name, "join") for name in early]
    return ExecutionGraph([*arcs, *((name, "other") for name in random.sample(early, max(1, len(early) // 2)))])


def chained(size: int, random: Random) -> ExecutionGraph:
    """Return long chains with a few arcs between them."""
    length = max(2, size // 3)
    chains = [[f"{letter}{number}" for number in range(length)] for letter in "xyz"]
    across = []
    for _ in range(3):
        count, other = random.sample(range(3), 2)
        index = random.randint(0, length - 2)
        across.append((chains[count][index], chains[other][random.randint(index + 1, length - 1)]))
    return ExecutionGraph([*chains, *across])


def blocked(size: int, random: Random) -> ExecutionGraph:
    """Return blocks in sequence, each of parallel chains: graphs that a declarative pipeline can express."""
    graph, left = ExecutionGraph(), size
    while left:
        block = ExecutionGraph()
        for _ in range(random.randint(1, 4)):
            length = min(left, random.randint(1, 3))
            block |= ExecutionGraph([[f"b{left - step}" for step in range(length)]])
            left -= length
        graph += block
    return graph


FAMILIES: Mapping[str, Callable[[int, Random], ExecutionGraph]] = {
    "layered": layered,
    "scattered": scattered,
    "series-parallel": series_parallel,
    "crossed": crossed,
    "joined": joined,
    "chained": chained,
    "blocks": blocked,
}


def config(graph: ExecutionGraph, keys: Mapping[str, str] = _NO_KEYS) -> str:
    """Return a config of *graph* whose stages do almost nothing; *keys* are additional keys of stages."""
    stages = "".join(f"      - {{ name: {name}, script: [echo {name}]{keys.get(name, '')} }}\n" for name in graph.nodes)
    arcs = [(name,) for name in graph.nodes if not graph.in_degree(name) and not graph.out_degree(name)]
    text = "".join(f"      - [{', '.join(arc)}]\n" for arc in (*arcs, *graph.arcs))
    return f"pipelines:\n  demo:\n    stages:\n{stages}    execution:\n{text}"


def _graph(names: list[str], arcs: list[tuple[str, str]]) -> ExecutionGraph:
    return ExecutionGraph([*((name,) for name in names), *arcs])
