"""A small simulation of one run: tasks with durations, arcs between them, a scheduler, and virtual time."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any, cast

from pipegen.run.model import Demand, Task, TaskId
from pipegen.run.scheduling.base import Placement, Refusal, Scheduler

# Tests of scheduling need no real job and no real plan.
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


def dice(seed: int) -> random.Random:
    """Return a reproducible random generator."""
    return random.Random(seed)  # noqa: S311 # a test wants the same graphs again, and keeps no secret


@dataclass(frozen=True, slots=True)
class Graph:
    """Durations by stage, and the predecessors of each stage, in topological order."""

    durations: Mapping[str, float]
    before: Mapping[str, tuple[str, ...]]

    def followers(self) -> dict[str, list[str]]:
        """Return the direct successors of each stage."""
        followers: dict[str, list[str]] = {stage: [] for stage in self.durations}
        for stage, earlier in self.before.items():
            for text in earlier:
                followers[text].append(stage)
        return followers

    def remaining(self, durations: Mapping[str, float]) -> dict[str, float]:
        """Return the longest path from the start of each stage, with *durations*."""
        followers, times = self.followers(), dict[str, float]()
        for stage in reversed(tuple(self.durations)):
            times[stage] = durations[stage] + max((times[follower] for follower in followers[stage]), default=0.0)
        return times

    def bound(self, slots: int) -> float:
        """Return a lower bound of any schedule on *slots*."""
        return max(*self.remaining(self.durations).values(), sum(self.durations.values()) / slots)


def random_graph(chance: random.Random, size: int) -> Graph:
    """Return a layered pipeline of *size* stages; most durations are short, a few are long."""
    layers = chance.randint(3, max(3, size // 4))
    layer = sorted(chance.randrange(layers) for _ in range(size))
    stages = [f"s{number}" for number in range(size)]
    before: dict[str, tuple[str, ...]] = {}
    for number, stage in enumerate(stages):
        earlier = [stages[predecessor] for predecessor in range(number) if layer[predecessor] < layer[number]]
        near = earlier[-8:]
        before[stage] = tuple(chance.sample(near, min(len(near), chance.randint(1, 3))))
    return Graph({stage: chance.lognormvariate(3, 1) for stage in stages}, before)


class Simulation:
    """Tasks, each after its predecessors, whose lengths are given by *duration*, with their own clock.

    Attributes:
        now: the current time.
        placed: when each task started, and where.
        ended: when each task ended.
        refused: the refusals of the scheduler.
    """

    def __init__(
        self,
        scheduler: Scheduler,
        tasks: Iterable[Task],
        before: Mapping[TaskId, Sequence[TaskId]],
        duration: Callable[[Task], float],
    ) -> None:
        self.scheduler = scheduler
        self.tasks = {graph_task.id: graph_task for graph_task in tasks}
        self.duration = duration
        self.now = 0.0
        self.placed: list[tuple[float, Placement]] = []
        self.ended: dict[TaskId, float] = {}
        self.refused: list[tuple[float, Refusal]] = []
        self._left = {id_: len(before.get(id_, ())) for id_ in self.tasks}
        self._followers: dict[TaskId, list[TaskId]] = {id_: [] for id_ in self.tasks}
        self._running: list[tuple[float, int, TaskId]] = []
        for id_ in self.tasks:
            for task_id in before.get(id_, ()):
                self._followers[task_id].append(id_)

    @property
    def makespan(self) -> float:
        """The end of the last task."""
        return max(self.ended.values(), default=0.0)

    def run(self) -> Simulation:
        """Run all tasks; return this simulation once none is running."""
        for id_, left in self._left.items():
            if not left:
                self.scheduler.add(self.tasks[id_], self.now)
        self.cycle()
        while self._running:
            self.now = self._running[0][0]
            while self._running and self._running[0][0] == self.now:
                self._end(heappop(self._running)[2])
            self.cycle()
        return self

    def cycle(self) -> None:
        """Let the scheduler place tasks."""
        cycle = self.scheduler.cycle(self.now)
        self.refused += [(self.now, refusal) for refusal in cycle.refused]
        for placement in cycle.placed:
            self.placed.append((self.now, placement))
            heappush(self._running, (self.now + self.duration(placement.task), len(self.placed), placement.task.id))

    def _end(self, id_: TaskId) -> None:
        self.ended[id_] = self.now
        self.scheduler.release(id_, self.now)
        for task_id in self._followers[id_]:
            self._left[task_id] -= 1
            if not self._left[task_id]:
                self.scheduler.add(self.tasks[task_id], self.now)


def run_graph(
    scheduler: Scheduler, graph: Graph, *, believed: Mapping[str, float] | None = None, demand: Demand | None = None
) -> Simulation:
    """Run *graph*; priorities depend on the durations *believed*."""
    remaining = graph.remaining(believed or graph.durations)
    tasks = [
        task(stage, order=order, remaining=remaining[stage], demand=demand)
        for order, stage in enumerate(graph.durations)
    ]
    before = {
        TaskId("p", stage): [TaskId("p", predecessor) for predecessor in earlier]
        for stage, earlier in graph.before.items()
    }
    return Simulation(scheduler, tasks, before, lambda graph_task: graph.durations[graph_task.id.stage]).run()
