"""Priorities of stages by `--first`, and the check of such names of stages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, listed, suggestion
from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.model import Job
from pipegen.source.text import SourceFile, Span


def priorities(graph: ExecutionGraph, jobs: Iterable[Job], first: Sequence[str]) -> dict[str, int]:
    """Return priorities for the stages *first* of *jobs* and for all before them; the first name is the highest."""
    by_stage: dict[str, int] = {}
    known = tuple(jobs)
    for priority, name in enumerate(reversed(first), start=1):
        for stage in (job.stage for job in known if name in (job.stage, job.title)):
            before = graph.ancestors(stage) if stage in graph else ()
            by_stage |= dict.fromkeys((stage, *before), priority)
    return by_stage


def check_stages(option: str, stages: Sequence[str], jobs: Iterable[Job], file: SourceFile, report: Report) -> None:
    """Report the *stages* of an *option* that are none of *jobs*, at the start of *file*."""
    known = list(dict.fromkeys(name for job in jobs for name in (job.stage, job.title)))
    for stage in stages:
        if stage not in known:
            similar = suggestion(stage, known)
            report.add(
                codes.NO_SUCH_STAGE,
                f'there is no stage "{stage}" in the selected pipelines',
                at=Span(file, 0, 0),
                hint=f'write "{option} {similar}"' if similar else f"the stages are {listed(known)}",
            )
