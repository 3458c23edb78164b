"""Diagnostics for stages that wait for each other."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise

from pipegen.config.model import Arc
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.graph.execution import ExecutionGraph
from pipegen.source.text import Span

# Two stages, the first before the second.
Step = tuple[str, str]

# In a larger component the hint names all steps: finding the one whose removal breaks the cycle takes a walk per step.
_LARGEST = 200


def check_cycles(graph: ExecutionGraph, arcs: Iterable[Arc], report: Report) -> None:
    """Report one cycle per strongly connected component; an arc with a repeated stage has been reported already."""
    if not graph.cycles():
        return
    spans: dict[Step, Span] = {}
    repeated: set[Step] = set()
    for arc in arcs:
        pairs = list(arc.pairs())
        for a, b in pairs:
            spans.setdefault((a.written, b.written), a.span.to(b.span))
        if len({name.written for name in arc.stages}) < len(arc.stages):
            repeated |= {(a.written, b.written) for a, b in pairs}
    report_cycles(graph, spans, report, repeated)


def report_cycles(
    graph: ExecutionGraph, spans: Mapping[Step, Span], report: Report, reported: Collection[Step] = ()
) -> None:
    """Report one cycle per strongly connected component of *graph*, unless all its steps are *reported*.

    *spans* are those of the steps in the arcs.
    """
    for cycle in graph.cycles():
        steps = list(pairwise(cycle))
        if not all(step in reported for step in steps):
            _report(steps, graph, spans, report)


def _report(steps: Sequence[Step], graph: ExecutionGraph, spans: Mapping[Step, Span], report: Report) -> None:
    report.add(
        codes.CYCLE,
        f"stages wait for each other: {_path(steps)}",
        at=spans[steps[0]],
        label=_described(steps[0]),
        related=[Label(spans[step], _described(step)) for step in steps[1:]],
        hint=_hint(steps, graph),
    )


def _hint(steps: Sequence[Step], graph: ExecutionGraph) -> str:
    """Return which of *steps* to remove so that their component has no cycle, or the cycles that remain."""
    start = steps[0][0]
    component = set(graph.ancestors(start)) & set(graph.descendants(start))
    if len(component) <= _LARGEST:
        arcs = [step for step in graph.arcs if component.issuperset(step)]
        untying = [step for step in steps if not _without(arcs, [step]).cycles()]
        if untying and len(untying) < len(steps):
            quoted = " or ".join(f'"{_described(step)}"' for step in untying)
            return f"remove {quoted} from the arcs"
        others = _without(arcs, steps).cycles()
        if others:
            remaining = " and ".join(f'"{_path(list(pairwise(cycle)))}"' for cycle in others)
            return f"remove one of these steps from the arcs; {remaining} remains"
    return "remove one of these steps from the arcs"


def _without(arcs: Iterable[Step], steps: Sequence[Step]) -> ExecutionGraph:
    return ExecutionGraph([arc for arc in arcs if arc not in steps])


def _path(steps: Sequence[Step]) -> str:
    return " -> ".join([steps[0][0], *(later for _, later in steps)])


def _described(step: Step) -> str:
    return f"{step[0]} before {step[1]}"
