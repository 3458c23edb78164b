"""The makespan of a generated file on a simulated clock, with agents for all jobs that can run in parallel.

The clock interprets the text: the blocks of a declarative pipeline, the branches that the driver of a scripted pipeline
starts, and the needs of jobs.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count

from pipegen.graph.execution import ExecutionGraph
from pipegen.readback import declarative, gitlab, jenkins, scripted
from pipegen.readback.driver import Driver
from pipegen.readback.groovy import GroovyTokens
from pipegen.readback.scripted import DeclaredStage, Flow, ScriptedFile, StartedStages

Durations = Mapping[str, float]


def ideal(graph: ExecutionGraph, durations: Durations) -> float:
    """Return the longest path: no schedule is shorter."""
    ends: dict[str, float] = {}
    for stage in graph.topological():
        ends[stage] = (
            max((ends[predecessor] for predecessor in graph.predecessors(stage)), default=0) + durations[stage]
        )
    return max(ends.values(), default=0)


def frames(graph: ExecutionGraph, durations: Durations) -> float:
    """Return the makespan of frames; each frame starts when all stages of the previous one have ended."""
    return sum(max(durations[stage] for stage in frame) for frame in graph.stack())


def makespan(text: str, durations: Durations, children: Mapping[str, str] | None = None) -> float:
    """Return the makespan of the generated file *text*."""
    if not text.startswith("//"):
        return ideal(gitlab.order(text, children or {}), durations)
    code = GroovyTokens(text)
    pipeline = jenkins.pipeline_of(code)
    if pipeline is not None:
        return _blocks(declarative.read(code, pipeline), durations)
    script, driver = jenkins.script_of(code)
    return max(Build(script, driver, durations).ends().values())


def _blocks(part: declarative.Part, durations: Durations) -> float:
    match part:
        case declarative.Leaf(name):
            return durations[name]
        case declarative.Serial(parts) | declarative.MatrixPart(parts):
            return sum(_blocks(child, durations) for child in parts)
        case declarative.Parallel(parts):
            return max(_blocks(child, durations) for child in parts)


# Scripted


# A request of a branch: to sleep for a number of seconds, or to run branches in parallel.
Asked = float | list["Thread"]
Thread = Iterator[Asked]


@dataclass(slots=True, eq=False)
class Block:
    """A `parallel` that the driver limits; *alive* is the number of branches that have not succeeded yet."""

    outer: Block | None
    depth: int
    alive: int
    waiting: list[str]
    next: list[str] = field(default_factory=list)


class Build:
    """A build of a scripted file in which every stage succeeds."""

    def __init__(self, script: ScriptedFile, driver: Driver, durations: Durations) -> None:
        self.deepest = 0
        self._script = script
        self._driver = driver
        self._durations = durations
        self._after = {stage.name: list(stage.after) for stage in script.stages}
        self._followers = _followers(script.stages)
        self._time = 0.0
        self._ends: dict[str, float] = {}

    def ends(self) -> dict[str, float]:
        """Return the end of each stage."""
        _run(self._flow(self._script.flow), self._tick)
        return self._ends

    def _tick(self, time: float) -> None:
        self._time = time

    def _flow(self, flow: Flow) -> Thread:
        match flow:
            case StartedStages():
                yield from self._advance(self._ready(flow))
            case scripted.StartSequence(parts):
                for part in parts:
                    yield from self._flow(part)
            case scripted.Branches(parts):
                yield [self._flow(part) for part in parts]

    def _ready(self, start: StartedStages) -> list[str]:
        return list(start.names) if start.names is not None else self._stages_ready(start.done)

    def _advance(self, ready: list[str]) -> Thread:
        if self._driver.deepest:
            yield from self._advance_in(ready, Block(None, 0, 1, []))
        else:
            yield from self._advance_freely(ready, 0)

    def _advance_freely(self, ready: list[str], depth: int) -> Thread:
        self.deepest = max(self.deepest, depth)
        while len(ready) == 1:
            yield from self._stage(ready[0])
            ready = self._stages_ready(ready[0])
        if ready:
            yield [self._advance_freely([name], depth + 1) for name in ready]

    def _advance_in(self, ready: list[str], block: Block) -> Thread:
        self.deepest = max(self.deepest, block.depth)
        while ready:
            if len(ready) == 1:
                yield from self._stage(ready[0])
                ready = self._go_on(self._stages_ready(ready[0]), block)
            else:
                inner = Block(block, block.depth + 1, len(ready), block.waiting)
                yield [self._advance_in([name], inner) for name in ready]
                ready = inner.next

    def _go_on(self, ready: list[str], block: Block) -> list[str]:
        left = None
        while block.outer is not None and block.alive == 1:
            left, block = block, block.outer
        if block.depth <= self._driver.deepest // 2:
            ready = block.waiting + ready
            block.waiting.clear()
        elif block.waiting or (len(ready) > 1 and block.depth == self._driver.deepest):
            block.waiting += ready
            ready = []
        if not ready:
            block.alive -= 1
        if left is None:
            return ready
        left.next = ready
        return []

    def _stage(self, name: str) -> Thread:
        yield self._durations[name]
        self._ends[name] = self._time

    def _stages_ready(self, done: str | None) -> list[str]:
        if done is None:
            return [name for name, after in self._after.items() if not after]
        ready = []
        for name in self._followers.get(done, ()):
            self._after[name].remove(done)
            if not self._after[name]:
                ready.append(name)
        return ready


def _followers(stages: tuple[DeclaredStage, ...]) -> dict[str, list[str]]:
    followers: dict[str, list[str]] = {}
    for stage in stages:
        for earlier in stage.after:
            followers.setdefault(earlier, []).append(stage.name)
    return followers


@dataclass(slots=True, eq=False)
class _Running:
    """A branch and its parent, which waits for *left* branches."""

    thread: Thread
    parent: _Running | None
    children: int = 0


def _run(thread: Thread, tick: Callable[[float], None]) -> None:
    """Run *thread* and its branches, and call *tick* with the current time before each step."""
    turns = count()
    queue: list[tuple[float, int, _Running]] = [(0.0, next(turns), _Running(thread, None))]
    while queue:
        time, _, running = heapq.heappop(queue)
        tick(time)
        request = next(running.thread, None)
        if isinstance(request, list):
            running.children = len(request)
            for message in request:
                heapq.heappush(queue, (time, next(turns), _Running(message, running)))
        elif request is not None:
            heapq.heappush(queue, (time + request, next(turns), running))
        elif running.parent is not None:
            running.parent.children -= 1
            if not running.parent.children:
                heapq.heappush(queue, (time, next(turns), running.parent))
