"""The order in which the driver of a scripted Jenkinsfile runs stages: each when all its predecessors are done."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from pipegen.graph.execution import ExecutionGraph
from pipegen.readback.errors import UnreadableError
from pipegen.readback.scripted import Branches, DeclaredStage, Flow, ScriptedFile, StartedStages, StartSequence
from pipegen.structs import Struct

# Returns the error with a message at an index.
Refusal = Callable[[int, str], UnreadableError]


def graph_of(script: ScriptedFile, refusal: Refusal) -> ExecutionGraph:
    """Return the order of the stages of *script*, each of which must run once."""
    run = _Run({stage.name: stage for stage in script.stages}, refusal)
    arcs = [(stage.name,) for stage in script.stages]
    after = tuple(run.arcs(script.flow, ()))
    run.check_all()
    declared = ((earlier, stage.name) for stage in script.stages for earlier in stage.after if earlier in run.started)
    return ExecutionGraph([*arcs, *declared, *after])


class _FlowEnds(Struct):
    """The first stages of a flow, and the last ones."""

    first: tuple[str, ...]
    last: tuple[str, ...]


class _Run:
    """A run in which all stages succeed."""

    def __init__(self, stages: Mapping[str, DeclaredStage], refusal: Refusal) -> None:
        self.started: dict[str, None] = {}
        self._stages = stages
        self._refusal = refusal
        self._missing = {name: len(stage.after) for name, stage in stages.items()}
        self._followers: dict[str, list[str]] = {}
        for stage in stages.values():
            if len(set(stage.after)) < len(stage.after):
                raise refusal(stage.index, f'stage "{stage.name}" names a predecessor twice, so it never starts')
            for earlier in stage.after:
                self._followers.setdefault(earlier, []).append(stage.name)

    def arcs(self, flow: Flow, predecessors: tuple[str, ...]) -> Iterator[tuple[str, str]]:
        """Yield the arcs of *flow*, which directly follows the stages *predecessors*."""
        yield from self._run_flow(flow, predecessors)[1]

    def check_all(self) -> None:
        """Raise for a stage that never starts."""
        for stage in self._stages.values():
            if stage.name not in self.started:
                missing = next((name for name in stage.after if name not in self._stages), None)
                reason = f': it comes after "{missing}", which does not exist' if missing is not None else ""
                raise self._refusal(stage.index, f'stage "{stage.name}" never starts{reason}')

    def _run_flow(self, flow: Flow, predecessors: tuple[str, ...]) -> tuple[tuple[str, ...], list[tuple[str, str]]]:
        """Return the last stages of *flow* (*predecessors* if it starts none), and its arcs."""
        match flow:
            case StartedStages():
                flow_ends = self._start(flow)
                arcs = [(earlier, stage) for stage in flow_ends.first for earlier in predecessors]
                return flow_ends.last or predecessors, arcs
            case StartSequence(parts):
                all_arcs: list[tuple[str, str]] = []
                for part in parts:
                    predecessors, arcs = self._run_flow(part, predecessors)
                    all_arcs += arcs
                return predecessors, all_arcs
            case Branches(parts):
                branches = [self._run_flow(part, predecessors) for part in parts]
                ends = dict.fromkeys(end for ends, _ in branches for end in ends)
                return tuple(ends), [arc for _, arcs in branches for arc in arcs]

    def _start(self, start: StartedStages) -> _FlowEnds:
        """Start the stages of *start*, and all that become ready."""
        first = tuple(self._ready(start))
        ready = list(reversed(first))
        finished: list[str] = []
        while ready:
            name = ready.pop()
            if name in self.started:
                raise self._refusal(start.index, f'stage "{name}" starts twice')
            self.started[name] = None
            finished.append(name)
            ready += reversed(tuple(self._released(name)))
        own = set(finished)
        last = tuple(name for name in finished if own.isdisjoint(self._followers.get(name, ())))
        return _FlowEnds(first, last)

    def _ready(self, start: StartedStages) -> Iterator[str]:
        if start.done is not None:
            if start.done in self._stages:
                raise self._refusal(start.index, f'"{start.done}" is a stage, but is passed as done')
            yield from self._released(start.done)
            return
        if start.names is None:
            yield from (name for name, missing in self._missing.items() if not missing)
            return
        for name in start.names:
            if self._missing.get(name, 1):
                raise self._refusal(start.index, f'"{name}" is started but waits for other stages')
            yield name

    def _released(self, done: str) -> Iterator[str]:
        """Yield the stages that waited only for *done*."""
        for name in self._followers.get(done, ()):
            self._missing[name] -= 1
            if not self._missing[name]:
                yield name
