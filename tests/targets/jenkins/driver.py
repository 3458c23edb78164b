"""A model of the driver of deep graphs: the decisions of `runStages` and `goOn`, with virtual time."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Self

from pipegen.graph.execution import ExecutionGraph

DEEPEST = 10
SHALLOW = 5


@dataclass(eq=False, slots=True)
class Parallel:
    """A `parallel`: its depth, and the number of its branches that have not succeeded yet."""

    depth: int
    open: int
    outer: Parallel | None = None


@dataclass(slots=True)
class Run:
    """A run of a graph: *running* has the running stages, each with the parallel that contains its branch."""

    graph: ExecutionGraph
    deepest: int = DEEPEST
    shallow: int = SHALLOW
    hands_out: bool = True
    running: dict[str, Parallel] = field(default_factory=dict)
    waiting: list[str] = field(default_factory=list)
    left: dict[str, int] = field(default_factory=dict)
    ended: list[str] = field(default_factory=list)
    depth: int = 0
    """The deepest that a parallel was."""
    held: int = 0
    """How often a stage was held back though it was ready."""

    def start(self) -> Self:
        """Start the stages without predecessors."""
        self.left = {node: self.graph.in_degree(node) for node in self.graph.nodes}
        self._go_on(list(self.graph.roots), Parallel(0, 1))
        return self

    def copy(self) -> Run:
        """Return an independent copy of the run."""
        copies: dict[int, Parallel] = {}

        def copied(parallel: Parallel) -> Parallel:
            if id(parallel) not in copies:
                copies[id(parallel)] = Parallel(
                    parallel.depth, parallel.open, parallel.outer and copied(parallel.outer)
                )
            return copies[id(parallel)]

        running = {stage: copied(block) for stage, block in self.running.items()}
        return Run(
            self.graph, self.deepest, self.shallow, self.hands_out, running, [*self.waiting], {**self.left},
            [*self.ended], self.depth, self.held,
        )  # fmt: skip

    def end(self, stage: str, *, is_failed: bool = False) -> None:
        """End the running *stage*."""
        block = self.running.pop(stage)
        if not is_failed:
            self.ended.append(stage)
            ready = []
            for follower in self.graph.successors(stage):
                self.left[follower] -= 1
                if not self.left[follower]:
                    ready.append(follower)
            if self.hands_out:
                self._decide(ready, block)
            elif ready:
                self._go_on(ready, block)
        if not self.running and self.waiting:
            # Stages that failures left waiting start from the outermost level.
            ready, self.waiting = self.waiting, []
            self._go_on(ready, Parallel(0, 1))

    def _decide(self, ready: list[str], block: Parallel) -> None:
        while block.outer is not None and block.open == 1:
            self._check_alone(block)
            block = block.outer
        if block.depth <= self.shallow:
            ready, self.waiting = self.waiting + ready, []
        elif self.waiting or (len(ready) > 1 and block.depth == self.deepest):
            self.held += len(ready)
            self.waiting += ready
            ready = []
        if ready:
            self._go_on(ready, block)
        else:
            block.open -= 1

    def _check_alone(self, block: Parallel) -> None:
        """Check that no branch of *block* is running, since its `parallel` is about to return."""
        for other in self.running.values():
            around: Parallel | None = other
            while around is not None:
                assert around is not block
                around = around.outer

    def _go_on(self, ready: list[str], block: Parallel) -> None:
        if len(ready) == 1:
            self.running[ready[0]] = block
            return
        inner = Parallel(block.depth + 1, len(ready), block)
        self.depth = max(self.depth, inner.depth)
        self.running |= dict.fromkeys(ready, inner)


def timed(
    run: Run, durations: Mapping[str, float], failing: Collection[str] = ()
) -> tuple[Mapping[str, float], Mapping[str, float]]:
    """Run *run* to its end; return when each stage starts and ends."""
    starts: dict[str, float] = {}
    ends: dict[str, float] = {}
    now, turn, queue = 0.0, 0, list[tuple[float, int, str]]()
    run.start()
    while True:
        for stage in [stage for stage in run.running if stage not in starts]:
            turn += 1
            starts[stage] = now
            heapq.heappush(queue, (now + durations[stage], turn, stage))
        if not queue:
            return starts, ends
        now, _, stage = heapq.heappop(queue)
        ends[stage] = now
        run.end(stage, is_failed=stage in failing)


def ideal(graph: ExecutionGraph, durations: Mapping[str, float]) -> float:
    """Return the makespan of *graph* if each stage starts as soon as its predecessors have ended."""
    ends: dict[str, float] = {}
    for node in graph.topological():
        ends[node] = max((ends[predecessor] for predecessor in graph.predecessors(node)), default=0.0) + durations[node]
    return max(ends.values())
