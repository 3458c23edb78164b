"""What is said of stages that wait for each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from pipegen.config.model import Arc
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.graph.execution import ExecutionGraph
from pipegen.source.text import Span

# Two stages, the first before the second.
_Step = tuple[str, str]

# A knot with more stages is untied step by step: to look for the best step costs a walk for each.
_LARGEST = 200


def check_cycles(graph: ExecutionGraph, arcs: Iterable[Arc], report: Report) -> None:
    """Report each knot once; an arc with a stage twice has been reported already."""
    cycles = graph.cycles()
    if not cycles:
        return
    places: dict[_Step, Span] = {}
    repeated: set[_Step] = set()
    for arc in arcs:
        pairs = list(arc.pairs())
        for a, b in pairs:
            places.setdefault((a.value, b.value), a.span.to(b.span))
        if len({name.value for name in arc.stages}) < len(arc.stages):
            repeated |= {(a.value, b.value) for a, b in pairs}
    for cycle in cycles:
        steps = list(pairwise(cycle))
        if not all(step in repeated for step in steps):
            _report(steps, graph, places, report)


def _report(steps: Sequence[_Step], graph: ExecutionGraph, places: Mapping[_Step, Span], report: Report) -> None:
    report.add(
        codes.CYCLE,
        f"stages wait for each other: {_way(steps)}",
        at=places[steps[0]],
        label=_words(steps[0]),
        also=[Label(places[step], _words(step)) for step in steps[1:]],
        hint=_hint(steps, graph),
    )


def _hint(steps: Sequence[_Step], graph: ExecutionGraph) -> str:
    """Return which of *steps* to take out so that nothing of their knot is left, or what else goes round in it."""
    start = steps[0][0]
    component = set(graph.ancestors(start)) & set(graph.descendants(start))
    if len(component) <= _LARGEST:
        arcs = [step for step in graph.arcs if component.issuperset(step)]
        untying = [step for step in steps if not _without(arcs, [step]).cycles()]
        if untying and len(untying) < len(steps):
            found = " or ".join(f'"{_words(step)}"' for step in untying)
            return f"take {found} out of the arcs"
        others = _without(arcs, steps).cycles()
        if others:
            also = " and ".join(f'"{_way(list(pairwise(cycle)))}"' for cycle in others)
            return f"take one of these steps out of the arcs; then {also} is left to untie"
    return "take one of these steps out of the arcs"


def _without(arcs: Iterable[_Step], steps: Sequence[_Step]) -> ExecutionGraph:
    return ExecutionGraph([arc for arc in arcs if arc not in steps])


def _way(steps: Sequence[_Step]) -> str:
    return " -> ".join([steps[0][0], *(later for _, later in steps)])


def _words(step: _Step) -> str:
    return f"{step[0]} before {step[1]}"
