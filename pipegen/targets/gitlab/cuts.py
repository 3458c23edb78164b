"""Where a pipeline may be cut into child pipelines, and which cuts cost least.

A child hands nothing back: no artifact of it is seen outside. So all that reads a stage of a child is in that child;
what children read of the parent they fetch. A child starts when all that comes before any of its stages has ended, and
what comes after one of its stages comes after all of them. So parts must not wait for each other in a circle, and every
cut may add waits: those are counted.

No search for the best parts is known that ends in time. Here the stages are put in a row in several ways, each row is
cut at places that few arcs span, and what a part may not give away is moved to the parent; the cheapest result wins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise

from pipegen.graph.rows import by_name, by_neighbours
from pipegen.graph.segments import segments
from pipegen.structs import Struct
from pipegen.targets.gitlab.waits import Cost, Waits

# What a part may weigh, of what a file may: the rest is for what holds for the whole file, and for helpers.
ROOM = 0.94
# How often parts are mended, and how many pieces they are cut into for that, before another way is tried.
_ROUNDS, _MOST_PIECES = 12, 40
# How much bigger than a file the parts may be that the row is cut into.
_SIZES = (1, 1.3, 1.7, 2.5)
# How many ways that serve are compared.
_TRIES = 2
# How many parts are looked at once more.
_MOST_REFINED = 8
PARENT = -1


class Stages(Struct, kw_only=True):
    """The stages of a pipeline, by numbers: all tuples have an entry for each.

    *before* are the predecessors by the arcs, *read* the stages whose artifacts are fetched, *tied* those that must be
    in the same file. A stage that is *pinned* must be in the parent. *weights* are bytes of memory.
    """

    names: tuple[str, ...]
    before: tuple[tuple[int, ...], ...]
    read: tuple[tuple[int, ...], ...]
    tied: tuple[tuple[int, ...], ...]
    weights: tuple[int, ...]
    frames: tuple[int, ...]
    pinned: frozenset[int]


class Parts(Struct):
    """The part of each stage, -1 for the parent, and what the cuts cost."""

    places: tuple[int, ...]
    cost: Cost

    def members(self) -> dict[int, list[int]]:
        """Return the stages of each part."""
        return members(self.places)


def members(places: Sequence[int]) -> dict[int, list[int]]:
    """Return the stages of each part, without those of the parent."""
    found: dict[int, list[int]] = {}
    for stage, part in enumerate(places):
        if part != PARENT:
            found.setdefault(part, []).append(stage)
    return found


def cut(stages: Stages, waits: Waits, budget: int) -> Parts | None:
    """Return the cheapest parts found of at most *budget* bytes each, the parent too; None where none are found."""
    room = int(budget * ROOM)
    found: list[Parts] = []
    for places in _rough(stages, waits, room):
        parts = fitting(stages, waits, places, room)
        if parts is not None:
            found.append(parts)
        if len(found) == _TRIES:
            break
    best = min(found, key=lambda parts: parts.cost, default=None)
    return _refined(stages, waits, best, room) if best is not None else None


def least_in_parent(stages: Stages, waits: Waits, room: int) -> int:
    """Return a weight that the parent has at least, whatever the parts are, where each weighs at most *room*.

    A stage of a part is there with all that read it, and with what reads these. Where even as many of the lightest
    stages weigh too much, it must be in the parent. Most graphs that cannot be cut are known by that at once.
    """
    lightest = (0, *accumulate(sorted(stages.weights)))
    readers = [0] * len(stages.names)
    least = 0
    for stage in reversed(waits.order):
        together = readers[stage] | 1 << stage
        readers[stage] = 0
        for one in stages.read[stage]:
            readers[one] |= together
        if lightest[together.bit_count()] > room:
            least += stages.weights[stage]
    return least


def fitting(stages: Stages, waits: Waits, places: Sequence[int], room: int) -> Parts | None:
    """Return the parts in *places*, mended; None where one of them, or the parent, weighs more than *room*."""
    parts = mended(stages, waits, places)
    is_fitting = parts is not None and all(weight <= room for weight in weights(stages, parts.places).values())
    return parts if is_fitting else None


def whole(stages: Stages, waits: Waits) -> Parts | None:
    """Return all stages that may be in a child as one part; None where there are none or they do not hold together."""
    return mended(stages, waits, [0] * len(stages.names))


def mended(stages: Stages, waits: Waits, places: Sequence[int]) -> Parts | None:
    """Return the parts in *places* so that they may be cut out, with stages moved to the parent where they must be."""
    now = moved(stages, places, stages.pinned)
    for _ in range(_ROUNDS):
        now = moved(stages, now, _given_away(stages, now))
        cost = waits.cost(now) if waits.holds(now) else None
        if cost is not None:
            return Parts(tuple(now), cost) if any(part != PARENT for part in now) else None
        apart = _in_order(stages, waits, now)
        if apart is None:
            return None
        now = apart
    return None


def given_away(stages: Stages, places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield each stage of a part that one outside reads, with that one."""
    for reader, read in enumerate(stages.read):
        for stage in read:
            if places[stage] not in (PARENT, places[reader]):
                yield stage, reader


def weights(stages: Stages, places: Sequence[int]) -> dict[int, int]:
    """Return what the stages of each part weigh, and those of the parent."""
    found: dict[int, int] = {}
    for stage, part in enumerate(places):
        found[part] = found.get(part, 0) + stages.weights[stage]
    return found


def _rows(stages: Stages) -> Iterator[list[int]]:
    """Yield the stages in orders in which those that belong together may stand together."""
    numbers = range(len(stages.names))
    yield list(numbers)
    yield sorted(numbers, key=lambda stage: by_name(stages.names[stage]))
    yield by_neighbours(stages.before)
    yield sorted(numbers, key=lambda stage: stages.frames[stage])


def _rough(stages: Stages, waits: Waits, room: int) -> Iterator[list[int]]:
    """Yield parts that the rows are cut into, those first whose cuts are spanned by the fewest arcs.

    Parts that are too big begin in the parent: what that takes from each is closed, so it may hand on what it leaves.
    """
    fixed = moved(stages, [0] * len(stages.names), stages.pinned)
    rows = [[stage for stage in row if fixed[stage] != PARENT] for row in _rows(stages)]
    for size in _SIZES:
        found = []
        for free in rows:
            made = segments(free, stages.before, [stages.weights[stage] for stage in free], int(room * size))
            if made is not None:
                found.append((made.spans, free, made.ends))
        for _, free, ends in sorted(found, key=lambda one: one[0]):
            yield _cut_off(stages, waits, fixed, [free[start:end] for start, end in pairwise((0, *ends))], room)


def _cut_off(
    stages: Stages, waits: Waits, fixed: Sequence[int], parts: Sequence[Sequence[int]], room: int
) -> list[int]:
    """Return the places of *parts*, the last stages of each as far as there is *room*; the others are in the parent."""
    ranks = {stage: rank for rank, stage in enumerate(waits.order)}
    places = list(fixed)
    for part, members in enumerate(parts):
        left = room
        for stage in members:
            places[stage] = PARENT
        for stage in sorted(members, key=lambda stage: ranks[stage], reverse=True):
            left -= stages.weights[stage]
            if left < 0:
                break
            places[stage] = part
    return places


def _refined(stages: Stages, waits: Waits, parts: Parts, room: int) -> Parts:
    """Return *parts*, or cheaper ones in which fewer stages stand together."""
    best = parts
    for part in list(parts.members())[:_MOST_REFINED]:
        for places in _looser(stages, best.places, part):
            tried = fitting(stages, waits, places, room)
            if tried is not None and tried.cost < best.cost:
                best = tried
    return best


def _looser(stages: Stages, places: Sequence[int], part: int) -> Iterator[list[int]]:
    """Yield *places* with the stages of *part* that have to do with others apart from the rest: moved, or cut off."""
    behind = {
        stage
        for stage, earlier in enumerate(stages.before)
        if places[stage] == part and any(places[one] != part for one in earlier)
    }
    ahead = {
        one
        for stage, earlier in enumerate(stages.before)
        if places[stage] != part
        for one in earlier
        if places[one] == part
    }
    for edge in (behind, ahead):
        if edge:
            yield moved(stages, places, edge)
    other = max(places) + 1
    after: tuple[list[int], ...] = tuple([] for _ in places)
    for stage, earlier in enumerate(stages.before):
        for one in earlier:
            after[one].append(stage)
    for edge, along in ((behind, after), (ahead, stages.before)):
        reached = _reached(edge, along, places, part)
        if edge and any(place == part and stage not in reached for stage, place in enumerate(places)):
            yield [other if stage in reached else place for stage, place in enumerate(places)]


def _reached(first: Iterable[int], along: Sequence[Sequence[int]], places: Sequence[int], part: int) -> set[int]:
    """Return the stages of *part* that are reached from *first*."""
    found = set(first)
    waiting = list(found)
    while waiting:
        for stage in along[waiting.pop()]:
            if places[stage] == part and stage not in found:
                found.add(stage)
                waiting.append(stage)
    return found


def _given_away(stages: Stages, places: Sequence[int]) -> set[int]:
    return {stage for stage, _ in given_away(stages, places)}


def moved(stages: Stages, places: Sequence[int], first: Iterable[int]) -> list[int]:
    """Return *places* with the stages of *first* in the parent, and all that these may not leave behind."""
    found = list(places)
    waiting = list(first)
    while waiting:
        stage = waiting.pop()
        found[stage] = PARENT
        waiting += [one for one in (*stages.read[stage], *stages.tied[stage]) if found[one] != PARENT]
    return found


def _in_order(stages: Stages, waits: Waits, places: Sequence[int]) -> list[int] | None:
    """Return *places* with parts that wait for each other in a circle cut further, so that none does; None if often."""
    for levels in (_returns(stages, waits, places), _levels(stages, waits, places)):
        keys = {(part, level): None for part, level in zip(places, levels, strict=True) if part != PARENT}
        if len(keys) <= _MOST_PIECES:
            numbers = {key: number for number, key in enumerate(sorted(keys))}
            pairs = zip(places, levels, strict=True)
            found = [PARENT if part == PARENT else numbers[part, level] for part, level in pairs]
            if waits.holds(found):
                return _rejoined(waits, found, numbers)
    return None


def _returns(stages: Stages, waits: Waits, places: Sequence[int]) -> list[int]:
    """Return how often a way to each stage leaves its part and comes back, at most."""
    levels = [0] * len(places)
    for part in sorted(set(places) - {PARENT}):
        seen = [-1] * len(places)
        for stage in waits.order:
            if places[stage] == part:
                found = [seen[one] if places[one] == part else seen[one] + 1 for one in stages.before[stage]]
                levels[stage] = seen[stage] = max(0, *found) if found else 0
            else:
                seen[stage] = max((seen[one] for one in stages.before[stage]), default=-1)
    return levels


def _levels(stages: Stages, waits: Waits, places: Sequence[int]) -> list[int]:
    """Return how often each stage's longest way from a root leaves a part, or passes a stage of the parent."""
    levels = [0] * len(places)
    for stage in waits.order:
        for earlier in stages.before[stage]:
            is_inside = places[earlier] == places[stage] != PARENT
            levels[stage] = max(levels[stage], levels[earlier] + (0 if is_inside else 1))
    return levels


def _rejoined(waits: Waits, places: list[int], numbers: Mapping[tuple[int, int], int]) -> list[int]:
    """Return *places* with pieces of one part together again where they wait for no other in between."""
    now = list(places)
    keys = sorted(numbers)
    last = keys[0]
    for key in keys[1:]:
        if key[0] == last[0]:
            tried = [numbers[last] if part == numbers[key] else part for part in now]
            if waits.holds(tried):
                now = tried
                continue
        last = key
    return now
