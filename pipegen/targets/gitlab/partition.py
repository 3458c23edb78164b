"""Which stages of which pipelines go into child pipelines: by hand, or because one file would be too big."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from pipegen.graph.closure import bits
from pipegen.plan.model import Job, Output, Plan
from pipegen.structs import Struct
from pipegen.targets.gitlab.cuts import PARENT, ROOM, Parts, Stages, cut, least_in_parent, moved, weights, whole
from pipegen.targets.gitlab.laid import Laid
from pipegen.targets.gitlab.memory import map_memory
from pipegen.targets.gitlab.needs import read_stages
from pipegen.targets.gitlab.scales import Scales
from pipegen.targets.gitlab.settings import Settings
from pipegen.targets.gitlab.waits import Cost, Waits


class Cuttable(Struct):
    """A pipeline as a graph to be cut, and why some stages must stay in the parent."""

    stages: Stages
    waits: Waits
    reasons: Mapping[int, str]

    def places(self) -> list[int]:
        """Return the parts when nothing is cut."""
        return [PARENT] * len(self.stages.names)


def cuttable(plan: Plan, laid: Laid, settings: Settings, scales: Scales) -> Cuttable:
    """Return the stages of *plan* but finally ones, as they are *laid* out."""
    jobs = [job for job in plan.jobs if not job.is_final]
    numbers = {job.stage: number for number, job in enumerate(jobs)}
    reasons = {numbers[stage]: why for stage, why in _pinned(plan, laid, settings) if stage in numbers}
    before = tuple([tuple(dict.fromkeys([numbers[stage] for stage in job.needs])) for job in jobs])
    stages = Stages(
        names=tuple(job.stage for job in jobs),
        before=before,
        read=_read(laid, numbers),
        tied=_tied(plan, numbers),
        weights=_weights(laid, numbers, scales),
        frames=tuple(job.frame or 0 for job in jobs),
        pinned=frozenset(reasons),
    )
    return Cuttable(stages, Waits.of(before), reasons)


def partition(found: Sequence[Cuttable], budget: int) -> list[Parts | None] | None:
    """Return the parts of each pipeline so that no file takes more than *budget*; None where none are found.

    A pipeline that fits into a child is one; a bigger one is cut. Then as much as fits goes back to the parent.
    """
    parts = [_parts(one, budget) for one in found]
    if any(made is None and _total(one) > budget * ROOM for one, made in zip(found, parts, strict=True)):
        return None
    held = sum(_held(one, made) for one, made in zip(found, parts, strict=True))
    return _brought_back(found, parts, int(budget * ROOM) - held) if held <= budget * ROOM else None


def _parts(one: Cuttable, budget: int) -> Parts | None:
    room = int(budget * ROOM)
    if least_in_parent(one.stages, one.waits, room) > room:
        return None
    found = whole(one.stages, one.waits)
    if found is not None and all(weight <= room for weight in weights(one.stages, found.places).values()):
        return found
    return cut(one.stages, one.waits, budget)


def _total(one: Cuttable) -> int:
    return sum(one.stages.weights)


def _held(one: Cuttable, made: Parts | None) -> int:
    """Return what of a pipeline the parent holds."""
    return _total(one) if made is None else weights(one.stages, made.places).get(PARENT, 0)


def _brought_back(found: Sequence[Cuttable], parts: list[Parts | None], room: int) -> list[Parts | None]:
    """Return *parts* without those for which the parent has *room*, those first that cost most as children."""
    pairs = enumerate(zip(found, parts, strict=True))
    tried = {number: list(_tries(one, made, room)) for number, (one, made) in pairs}
    while True:
        fitting = [
            (gain, size, number, other)
            for number, several in tried.items()
            for gain, size, other in several
            if size <= room
        ]
        if not fitting:
            return parts
        _, size, number, other = min(fitting, key=lambda one: one[:3])
        parts[number] = other
        room -= size
        tried[number] = list(_tries(found[number], other, room))


def _tries(one: Cuttable, made: Parts | None, room: int) -> Iterator[tuple[Cost, int, Parts]]:
    """Yield each part of *made* that fits into *room* brought back: how the cost changes, its size, what is left."""
    if made is None:
        return
    for part, size in weights(one.stages, made.places).items():
        places = [PARENT if place == part else place for place in made.places]
        cost = one.waits.cost(places) if part != PARENT and size <= room else None
        if cost is not None:
            gain = Cost(cost.path - made.cost.path, cost.pairs - made.cost.pairs)
            yield gain, size, Parts(tuple(places), cost)


def _pinned(plan: Plan, laid: Laid, settings: Settings) -> Iterator[tuple[str, str]]:
    """Yield each stage that must be in the parent, and why."""
    published = [one.stage for one in (settings.pages, settings.release) if one is not None]
    for job in plan.jobs:
        if job.is_final:
            for stage in (*read_stages(job), *(stage for stage in job.statuses if stage)):
                yield stage, f'the finally stage "{job.title}" asks for it'
        gate = job.gate
        if gate.approval is not None or gate.environment is not None or job.raw or published:
            for why in _reasons(job, laid, published):
                yield job.stage, why


def _reasons(job: Job, laid: Laid, published: Collection[str]) -> Iterator[str]:
    title, environment = laid.places[job.stage].job, job.gate.environment
    if job.gate.approval is not None:
        yield "it waits for a person, and a child would never end meanwhile"
    if environment is not None and (environment.stops or environment.on_stop):
        yield "GitLab stops an environment from the pipeline that made it"
    if any(name == "gitlab" for name, _ in job.raw):
        yield 'its keys for GitLab ("raw") may mean more than this file'
    if published and not {job.stage, title, f"{job.pipeline}: {job.stage}"}.isdisjoint(published):
        yield "it publishes for the project"


def _read(laid: Laid, numbers: Mapping[str, int]) -> tuple[tuple[int, ...], ...]:
    """Return the stages whose artifacts the jobs of each stage fetch."""
    stages = {one.job.name: one.stage for one in laid.made}
    found: list[dict[int, None]] = [{} for _ in numbers]
    for one in laid.made:
        if one.stage in numbers:
            fetched = [stages[need.job] for need in one.job.needs if need.artifacts]
            found[numbers[one.stage]] |= dict.fromkeys([numbers[stage] for stage in fetched if stage != one.stage])
    return tuple(map(tuple, found))


def _tied(plan: Plan, numbers: Mapping[str, int]) -> tuple[tuple[int, ...], ...]:
    """Return for each stage those that take a name from it by a dotenv report, which collectors do not hand on."""
    told = {Output(job.stage, name) for job in plan.jobs for name in job.expanded}
    found: list[dict[int, None]] = [{} for _ in numbers]
    for job in plan.jobs if told else ():
        for output in job.inputs:
            if output in told and job.stage in numbers:
                found[numbers[output.stage]][numbers[job.stage]] = None
    return tuple(map(tuple, found))


def _weights(laid: Laid, numbers: Mapping[str, int], scales: Scales) -> tuple[int, ...]:
    found = [0] * len(numbers)
    made = [one for one in laid.made if one.stage in numbers]
    for one, weighed in zip(made, scales.each(one.job for one in made), strict=True):
        found[numbers[one.stage]] += map_memory(1) + weighed.size
    return tuple(found)


def by_hand(one: Cuttable, groups: Sequence[Sequence[str]]) -> list[int]:
    """Return the parts that *groups* ask for: the stages of each, and what comes after them and after no other."""
    places = one.places()
    for stage in one.waits.order:
        own = next((part for part, group in enumerate(groups) if one.stages.names[stage] in group), None)
        before = {places[earlier] for earlier in one.stages.before[stage]} - {PARENT}
        if own is not None:
            places[stage] = own
        elif len(before) == 1 and not _comes_after_other(one, places, stage, before):
            places[stage] = before.pop()
    return places


def _comes_after_other(one: Cuttable, places: Sequence[int], stage: int, parts: set[int]) -> bool:
    """Return whether *stage* comes after a stage of the parent that comes after one of another part."""
    return any(places[number] not in (PARENT, *parts) for number in bits(one.waits.masks[stage]))


def moved_back(one: Cuttable, places: Sequence[int]) -> list[int]:
    """Return *places* with the stages in the parent that must be there."""
    return moved(one.stages, places, one.stages.pinned)
