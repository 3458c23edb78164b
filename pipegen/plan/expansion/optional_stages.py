"""The order without waits for optional stages: a stage after one runs as if it were not there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pipegen.graph.closure import Closure
from pipegen.graph.execution import ExecutionGraph


def without_optional_waits(graph: ExecutionGraph, optional: Mapping[str, str | None]) -> ExecutionGraph:
    """Return *graph* in which successors of *optional* stages wait for the predecessors of these instead.

    Only the stage that stops the environment of an optional stage, which *optional* names, waits for it.
    """
    if not optional or graph.cycles():
        return graph
    closure, waits = graph.closure(), dict[str, tuple[str, ...]]()
    for name in graph.topological():
        predecessors = graph.predecessors(name)
        passed = [earlier for earlier in predecessors if earlier in optional and optional[earlier] != name]
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
