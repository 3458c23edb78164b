"""Where pipelines are cut, on graphs of many shapes."""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import pairwise

import pytest

from pipegen.structs import replace
from pipegen.targets.gitlab.cuts import PARENT, Stages, cut, given_away, least_in_parent, weights
from pipegen.targets.gitlab.waits import Cost, Waits

MANY = 600
WEIGHT = 1_000
# Five parts of a file's size each.
BUDGET = 150_000


def stages(arcs: Iterable[tuple[int, int]], reads: Iterable[tuple[int, int]] = (), count: int = MANY) -> Stages:
    """Return *count* stages of one size."""
    before: list[dict[int, None]] = [{} for _ in range(count)]
    read: list[dict[int, None]] = [{} for _ in range(count)]
    for found, pairs in ((before, (*arcs, *reads)), (read, tuple(reads))):
        for one, other in pairs:
            found[other][one] = None
    predecessors = tuple(map(tuple, before))
    frames = [0] * count
    for stage in Waits.of(predecessors).order:
        frames[stage] = max((frames[one] + 1 for one in predecessors[stage]), default=0)
    return Stages(
        names=tuple(f"s{number}" for number in range(count)),
        before=predecessors,
        read=tuple(map(tuple, read)),
        tied=((),) * count,
        weights=(WEIGHT,) * count,
        frames=tuple(frames),
        pinned=frozenset(),
    )


def loose(*, is_mixed: bool, often: float) -> Stages:
    """Return five parts with many arcs in each, of which some are read along, and few between them."""
    chance = random.Random(1)  # noqa: S311 - a graph is no secret
    size = MANY // 5
    numbers = [[part + 5 * n if is_mixed else part * size + n for n in range(size)] for part in range(5)]
    arcs: list[tuple[int, int]] = []
    reads: list[tuple[int, int]] = []
    for own in numbers:
        for n in range(1, size):
            for one in {chance.randint(max(0, n - 12), n - 1) for _ in range(2)}:
                (reads if chance.random() < often else arcs).append((own[one], own[n]))
    for first, second in pairwise(numbers):
        arcs += [(chance.choice(first[size // 2 :]), chance.choice(second[: size // 2])) for _ in range(2)]
    return stages(arcs, reads)


def check(graph: Stages, budget: int = BUDGET) -> Cost:
    """Check the parts that *graph* is cut into; return what they cost."""
    waits = Waits.of(graph.before)
    parts = cut(graph, waits, budget)
    assert parts is not None
    assert parts.cost == waits.cost(parts.places)
    assert not list(given_away(graph, parts.places))
    assert all(weight <= budget for weight in weights(graph, parts.places).values())
    assert sum(mask.bit_count() for mask in waits.added(parts.places)) == parts.cost.pairs
    assert least_in_parent(graph, waits, budget) <= weights(graph, parts.places).get(PARENT, 0)
    return parts.cost


def together(graph: Stages, stage: int) -> set[int]:
    """Return *stage* with all that must be in its part: what reads it, and what reads that."""
    found = {stage}
    for reader, read in enumerate(graph.read):
        if found.intersection(read):
            found.add(reader)
    return found


@pytest.mark.parametrize("is_mixed", [False, True])
@pytest.mark.parametrize("often", [0.0, 0.2, 0.7])
def test_loosely_coupled_parts_are_found(often: float, *, is_mixed: bool) -> None:
    """However much is read within a part, and in whatever order the stages are written."""
    check(loose(is_mixed=is_mixed, often=often))


def test_independent_parts_cost_nothing() -> None:
    """Chains side by side, written one after the other or in turns."""
    for step in (1, 100):
        apart = [(n, n + step) for n in range(MANY - step) if step == 100 or n % 100 != 99]

        assert check(stages(apart, apart)).pairs == 0


def test_a_chain_costs_nothing() -> None:
    """Parts one after the other wait for what they would wait for anyway."""
    cost = check(stages((n, n + 1) for n in range(MANY - 1)))

    assert cost == Cost(path=MANY, pairs=0)


def test_a_join_stays_in_the_parent() -> None:
    """What comes after all parts is in none, so that none waits for another."""
    assert check(stages((n, MANY - 1) for n in range(MANY - 1))) == Cost(path=2, pairs=0)


def test_what_all_read_stays_in_the_parent() -> None:
    """Children fetch what one stage of the parent left."""
    assert check(stages((), [(0, n) for n in range(1, MANY)])) == Cost(path=2, pairs=0)


def test_what_reads_all_cannot_be_cut_off() -> None:
    """A join that reads everything must be in one file with it."""
    graph = stages((), [(n, MANY - 1) for n in range(MANY - 1)])

    assert cut(graph, Waits.of(graph.before), BUDGET) is None


def test_what_is_read_for_long_is_known_to_stay_in_the_parent() -> None:
    """Of a chain that is read from end to end, a part holds no more than its last stages."""
    graph = stages((), list(pairwise(range(MANY))))

    assert least_in_parent(graph, Waits.of(graph.before), BUDGET) == (MANY - 150) * WEIGHT


@pytest.mark.parametrize("seed", range(20))
def test_what_is_known_to_stay_in_the_parent_is_never_cut_off(seed: int) -> None:
    """However much stages weigh, what any parts leave to the parent is no less."""
    chance = random.Random(seed)  # noqa: S311 - a graph is no secret
    reads = [(max(0, n - chance.randint(1, 15)), n) for n in range(1, 120) if chance.random() < 0.8]
    graph = replace(stages((), reads, count=120), weights=tuple(chance.randint(1, 100) for _ in range(120)))
    left = set(range(120))
    for stage in chance.sample(range(120), 120):
        part = together(graph, stage)
        if part <= left and sum(graph.weights[one] for one in part) <= 1_000:
            left -= part

    assert least_in_parent(graph, Waits.of(graph.before), 1_000) <= sum(graph.weights[one] for one in left)


def test_layers_cost_no_more_than_their_number() -> None:
    """Cut between layers, a path grows by little."""
    chance = random.Random(2)  # noqa: S311 - a graph is no secret
    arcs = [
        (low + one, low + 20 + n)
        for low in range(0, MANY - 20, 20)
        for n in range(20)
        for one in chance.sample(range(20), 2)
    ]
    graph = stages(arcs)

    assert check(graph).path <= Waits.of(graph.before).path * 1.2


def test_pinned_stages_and_what_they_read_stay() -> None:
    """A stage that must be in the parent keeps there what it reads, however far."""
    graph = stages((), [(n, n + 1) for n in range(9)], count=20)
    graph = Stages(
        **{name: getattr(graph, name) for name in ("names", "before", "read", "tied", "weights", "frames")},
        pinned=frozenset({3}),
    )
    parts = cut(graph, Waits.of(graph.before), 12 * WEIGHT)

    assert parts is not None
    assert parts.places[:4] == (PARENT,) * 4
