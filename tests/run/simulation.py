"""A small simulation of one run: tasks with durations, arcs between them, a scheduler, and time that jumps."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Any, cast

from pipegen.run.model import Demand, Task, TaskId
from pipegen.run.scheduling import Placement, Scheduler

# Tests of scheduling look into no job and no plan.
NOTHING = cast("Any", None)


def task(
    stage: str, *, pipeline: str = "p", order: int = 0, remaining: float = 0.0, demand: Demand | None = None
) -> Task:
    """Return a task that does nothing."""
    return Task(
        id=TaskId(pipeline, stage),
        job=NOTHING,
        plan=NOTHING,
        demand=demand or Demand(),
        remaining=remaining,
        order=order,
    )


@dataclass(frozen=True, slots=True)
class Graph:
    """Durations by stage, each stage with those before it, earlier stages first."""

    durations: Mapping[str, float]
    before: Mapping[str, tuple[str, ...]]

    def followers(self) -> dict[str, list[str]]:
        """Return those that come right after each stage."""
        found: dict[str, list[str]] = {stage: [] for stage in self.durations}
        for stage, earlier in self.before.items():
            for one in earlier:
                found[one].append(stage)
        return found

    def remaining(self, durations: Mapping[str, float]) -> dict[str, float]:
        """Return the longest path from the start of each stage, by *durations*."""
        followers, found = self.followers(), dict[str, float]()
        for stage in reversed(tuple(self.durations)):
            found[stage] = durations[stage] + max((found[one] for one in followers[stage]), default=0.0)
        return found

    def bound(self, slots: int) -> float:
        """Return a time that no schedule on so many slots is under."""
        return max(max(self.remaining(self.durations).values()), sum(self.durations.values()) / slots)


def random_graph(dice: random.Random, size: int) -> Graph:
    """Return a pipeline of *size* stages in some layers; most durations are short, a few are long."""
    layers = dice.randint(3, max(3, size // 4))
    place = sorted(dice.randrange(layers) for _ in range(size))
    stages = [f"s{number}" for number in range(size)]
    before: dict[str, tuple[str, ...]] = {}
    for number, stage in enumerate(stages):
        earlier = [stages[one] for one in range(number) if place[one] < place[number]]
        near = earlier[-8:]
        before[stage] = tuple(dice.sample(near, min(len(near), dice.randint(1, 3))))
    return Graph({stage: dice.lognormvariate(3, 1) for stage in stages}, before)


@dataclass(slots=True)
class Run:
    """What a simulation came to: when each task started, where, and when it ended."""

    placed: list[tuple[float, Placement]] = field(default_factory=list)
    ended: dict[TaskId, float] = field(default_factory=dict)

    @property
    def makespan(self) -> float:
        """When the last task ended."""
        return max(self.ended.values(), default=0.0)


def simulate(
    scheduler: Scheduler,
    tasks: Iterable[Task],
    before: Mapping[TaskId, Sequence[TaskId]],
    duration: Callable[[Task], float],
) -> Run:
    """Run *tasks*, each after those before it, for as long as *duration* says."""
    by_id = {one.id: one for one in tasks}
    left = {id_: len(before.get(id_, ())) for id_ in by_id}
    followers: dict[TaskId, list[TaskId]] = {id_: [] for id_ in by_id}
    for id_ in by_id:
        for one in before.get(id_, ()):
            followers[one].append(id_)
    run, now = Run(), 0.0
    running: list[tuple[float, int, TaskId]] = []
    for id_, count in left.items():
        if not count:
            scheduler.add(by_id[id_], now)
    while True:
        for placement in scheduler.cycle(now).placed:
            run.placed.append((now, placement))
            heappush(running, (now + duration(placement.task), len(run.placed), placement.task.id))
        if not running:
            return run
        now = running[0][0]
        while running and running[0][0] == now:
            ended = heappop(running)[2]
            run.ended[ended] = now
            scheduler.release(ended, now)
            for one in followers[ended]:
                left[one] -= 1
                if not left[one]:
                    scheduler.add(by_id[one], now)


def run_graph(
    scheduler: Scheduler, graph: Graph, *, believed: Mapping[str, float] | None = None, demand: Demand | None = None
) -> Run:
    """Run *graph*; the order goes by the durations that are *believed*."""
    remaining = graph.remaining(believed or graph.durations)
    tasks = [
        task(stage, order=order, remaining=remaining[stage], demand=demand)
        for order, stage in enumerate(graph.durations)
    ]
    before = {TaskId("p", stage): [TaskId("p", one) for one in earlier] for stage, earlier in graph.before.items()}
    return simulate(scheduler, tasks, before, lambda one: graph.durations[one.id.stage])
