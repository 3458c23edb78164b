"""The order without waits for optional stages: a stage after one runs as if it were not there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pipegen.config.model import StageConfig
from pipegen.graph.closure import Closure
from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.expansion.stop_stages import stop_of


def without_optional_waits(graph: ExecutionGraph, stages: Mapping[str, StageConfig]) -> ExecutionGraph:
    """Return *graph* of *stages* in which successors of optional stages wait for the predecessors of these instead.

    Only the stage that stops the environment of an optional stage waits for it.
    """
    optional = {name for name in graph.nodes if name in stages and stages[name].is_optional}
    if not optional or graph.cycles():
        return graph
    closure, waits = graph.closure(), dict[str, tuple[str, ...]]()
    for name in graph.topological():
        predecessors = graph.predecessors(name)
        passed = [earlier for earlier in predecessors if earlier in optional and _stop(stages[earlier]) != name]
        own = tuple(earlier for earlier in predecessors if earlier not in passed)
        inherited = dict.fromkeys(earlier for predecessor in passed for earlier in waits[predecessor])
        waits[name] = (*own, *_needed(inherited, own, closure))
    nodes = ((name,) for name in graph.nodes)
    return ExecutionGraph([*nodes, *((earlier, name) for name in graph.nodes for earlier in waits[name])])


def _needed(inherited: Mapping[str, None], own: tuple[str, ...], closure: Closure) -> Iterator[str]:
    """Yield the *inherited* predecessors that are neither among the *own* ones nor before any other."""
    others = (*own, *inherited)
    for name in inherited:
        if name not in own and not any(closure.is_before(name, other) for other in others):
            yield name


def _stop(stage: StageConfig) -> str | None:
    stop = stop_of(stage)
    return stop.value if stop is not None else None
