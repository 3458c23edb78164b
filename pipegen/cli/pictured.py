"""Plans as pictures: what their boxes and arcs say."""

from __future__ import annotations

from collections.abc import Iterator

from pipegen.cli.conditions import words
from pipegen.graph.execution import ExecutionGraph
from pipegen.graph.paths import longest_path
from pipegen.pictures.model import Link, Mark, Picture, Stage
from pipegen.plan.model import Job, Plan, Selection


def picture(plan: Plan) -> Picture:
    """Return *plan* as a picture; its stages without details."""
    path = longest_path(plan.graph)
    return Picture(
        name=plan.name,
        words=(*_counted(len(plan.jobs), path), *_when(plan)),
        graph=plan.graph,
        stages=tuple(Stage(name=job.stage, marks=tuple(_marks(job))) for job in plan.jobs),
        links=dict(_links(plan)),
        path=path,
        last=tuple(job.stage for job in plan.jobs if job.is_final),
    )


def bare_picture(name: str, graph: ExecutionGraph) -> Picture:
    """Return the picture of a *graph* of whose stages only the names are known."""
    path = longest_path(graph)
    return Picture(
        name=name,
        words=_counted(len(graph.nodes), path),
        graph=graph,
        stages=tuple(Stage(name=node) for node in graph.nodes),
        links={},
        path=path,
    )


def _counted(stages: int, path: tuple[str, ...]) -> tuple[str, str]:
    return ("1 stage" if stages == 1 else f"{stages} stages"), f"{len(path)} on the longest path"


def _when(plan: Plan) -> Iterator[str]:
    if plan.selection is Selection.ON_DEMAND:
        yield "runs only when asked for"
    if plan.condition is not None:
        yield f"when {words(plan.condition)}"
    for one in plan.schedules:
        yield f"scheduled {one.cron} ({one.timezone or 'UTC'})"


def _marks(job: Job) -> Iterator[Mark]:
    if job.is_final:
        yield Mark.FINALLY
    if job.condition is not None:
        yield Mark.CONDITION
    if job.gate.approval is not None:
        yield Mark.APPROVAL
    if job.gate.delay is not None:
        yield Mark.DELAY
    if job.leg is not None:
        yield Mark.MATRIX
    if job.limits.allow_failure is not None:
        yield Mark.MAY_FAIL


def _links(plan: Plan) -> Iterator[tuple[tuple[str, str], Link]]:
    """Yield what each arc carries, where it does."""
    jobs = {job.stage: job for job in plan.jobs}
    for earlier, later in plan.graph.arcs:
        values = tuple(output.name for output in jobs[later].reads if output.stage == earlier)
        files = tuple(left_by(jobs[earlier])) if earlier in jobs[later].files else ()
        if values or files:
            yield (earlier, later), Link(values=values, files=files)


def left_by(job: Job) -> Iterator[str]:
    """Yield the paths of the files that *job* leaves for those after it."""
    for artifact in job.artifacts:
        if artifact.travels:
            yield artifact.path or "files known at run time"
