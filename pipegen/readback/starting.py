"""The order in which the driver of a scripted Jenkinsfile runs stages: each once all that it comes after is done."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from pipegen.graph.execution import ExecutionGraph
from pipegen.readback.errors import UnreadableError
from pipegen.readback.scripted import Branches, DeclaredStage, Flow, ScriptedFile, StartedStages, StartSequence
from pipegen.structs import Struct

# Makes the error for what is said at a place.
Refusal = Callable[[int, str], UnreadableError]


def graph_of(script: ScriptedFile, refusal: Refusal) -> ExecutionGraph:
    """Return the order of the stages of *script*; all of them must run once."""
    run = _Run({stage.name: stage for stage in script.stages}, refusal)
    arcs = [(stage.name,) for stage in script.stages]
    after = tuple(run.arcs(script.flow, ()))
    run.check_all()
    told = ((earlier, stage.name) for stage in script.stages for earlier in stage.after if earlier in run.started)
    return ExecutionGraph([*arcs, *told, *after])


class _Ended(Struct):
    """The stages that a flow starts with, and those that nothing of it comes after."""

    first: tuple[str, ...]
    last: tuple[str, ...]


class _Run:
    """A run in which all goes well, stage by stage."""

    def __init__(self, stages: Mapping[str, DeclaredStage], refusal: Refusal) -> None:
        self.started: dict[str, None] = {}
        self._stages = stages
        self._refusal = refusal
        self._missing = {name: len(stage.after) for name, stage in stages.items()}
        self._followers: dict[str, list[str]] = {}
        for stage in stages.values():
            if len(set(stage.after)) < len(stage.after):
                raise refusal(stage.place, f'stage "{stage.name}" comes after a stage twice, and so never starts')
            for earlier in stage.after:
                self._followers.setdefault(earlier, []).append(stage.name)

    def arcs(self, flow: Flow, before: tuple[str, ...]) -> Iterator[tuple[str, str]]:
        """Yield the order that *flow* makes by itself, where it comes directly after the stages *before*."""
        yield from self._followed(flow, before)[1]

    def check_all(self) -> None:
        """Raise for a stage that never starts."""
        for stage in self._stages.values():
            if stage.name not in self.started:
                absent = next((one for one in stage.after if one not in self._stages), None)
                reason = f': it comes after "{absent}", which is not there' if absent is not None else ""
                raise self._refusal(stage.place, f'stage "{stage.name}" never starts{reason}')

    def _followed(self, flow: Flow, before: tuple[str, ...]) -> tuple[tuple[str, ...], list[tuple[str, str]]]:
        """Return the stages that end *flow* (*before* when it starts none), and the arcs that it makes by itself."""
        match flow:
            case StartedStages():
                ended = self._advanced(flow)
                arcs = [(earlier, one) for one in ended.first for earlier in before]
                return ended.last or before, arcs
            case StartSequence(parts):
                found: list[tuple[str, str]] = []
                for part in parts:
                    before, arcs = self._followed(part, before)
                    found += arcs
                return before, found
            case Branches(parts):
                each = [self._followed(part, before) for part in parts]
                ends = dict.fromkeys(end for ends, _ in each for end in ends)
                return tuple(ends), [arc for _, arcs in each for arc in arcs]

    def _advanced(self, start: StartedStages) -> _Ended:
        """Start what *start* says, and all that this makes ready."""
        first = tuple(self._ready(start))
        waiting = list(reversed(first))
        ran: list[str] = []
        while waiting:
            name = waiting.pop()
            if name in self.started:
                raise self._refusal(start.place, f'stage "{name}" starts twice')
            self.started[name] = None
            ran.append(name)
            waiting += reversed(tuple(self._released(name)))
        own = set(ran)
        last = tuple(name for name in ran if own.isdisjoint(self._followers.get(name, ())))
        return _Ended(first, last)

    def _ready(self, start: StartedStages) -> Iterator[str]:
        if start.done is not None:
            if start.done in self._stages:
                raise self._refusal(start.place, f'"{start.done}" is a stage, and is said to be done')
            yield from self._released(start.done)
            return
        if start.names is None:
            yield from (name for name, missing in self._missing.items() if not missing)
            return
        for name in start.names:
            if self._missing.get(name, 1):
                raise self._refusal(start.place, f'"{name}" starts, and is no stage that waits for nothing')
            yield name

    def _released(self, done: str) -> Iterator[str]:
        """Yield the stages that waited for *done* alone."""
        for name in self._followers.get(done, ()):
            self._missing[name] -= 1
            if not self._missing[name]:
                yield name
