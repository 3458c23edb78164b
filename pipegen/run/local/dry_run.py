"""Dry runs: the stages that a run would start."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from pipegen.plan.model import Job
from pipegen.run.local.conditions import RunContext
from pipegen.run.local.selection import SelectedPipeline


def forecast(
    selected: Sequence[SelectedPipeline], is_selected: Callable[[Job], bool], context: RunContext, *, on_host: bool
) -> Iterator[str]:
    """Yield a line for each stage by frame, with the reason if it is skipped."""
    event = context.event
    yield f"event {event.kind.value}, branch {event.branch or 'none'}, tag {event.tag or 'none'}"
    for selection in selected:
        jobs = {job.stage: job for job in selection.jobs}
        yield f"pipeline {selection.plan.name}"
        for number, frame in enumerate(selection.graph.stack(), start=1):
            for index, stage in enumerate(selection.by_priority(frame)):
                name = _name(selection, stage)
                yield _line(f"{number}." if index == 0 else "", name, jobs[stage], is_selected, on_host=on_host)
        for stage in selection.by_priority([job.stage for job in selection.jobs if job.is_final]):
            start = f"if {jobs[stage].on_status}" if jobs[stage].on_status else "at the end"
            yield _line(start, _name(selection, stage), jobs[stage], is_selected, on_host=on_host)


def _name(selection: SelectedPipeline, stage: str) -> str:
    return f"{stage} (first)" if stage in selection.priorities else stage


def _line(start: str, name: str, job: Job, is_selected: Callable[[Job], bool], *, on_host: bool) -> str:
    if not is_selected(job):
        span = job.span.first
        return f"  {start:<10}  {name}: skipped, its condition is false (line {span.line})"
    image = job.machine.image
    where = ""
    if image is not None and not on_host:
        where = f" in {image.name.span.text.strip() if image.name.constant is None else image.name.constant}"
    after = f", after {', '.join(job.needs)}" if job.needs else ""
    return f"  {start:<10}  {name}{where}{after}"
