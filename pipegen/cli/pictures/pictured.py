"""Pictures of plans, with the texts of boxes and arcs."""

from __future__ import annotations

from collections.abc import Iterator

from pipegen.graph.execution import ExecutionGraph
from pipegen.graph.paths import longest_path
from pipegen.pictures.model import Link, Picture, StageBox, StageMark
from pipegen.plan.model import Job, Plan, Selection
from pipegen.plan.stage.words import ending, words


def picture(plan: Plan) -> Picture:
    """Return the picture of *plan*, without details of stages."""
    path = _path(plan.graph)
    return Picture(
        name=plan.name,
        words=(*_counted(len(plan.jobs), path), *_when(plan)),
        graph=plan.graph,
        stages=tuple(map(_stage, plan.jobs)),
        links=dict(_links(plan)),
        path=path,
        last=tuple(job.stage for job in plan.jobs if job.is_final),
    )


def bare_picture(name: str, graph: ExecutionGraph) -> Picture:
    """Return the picture of a *graph* with names of stages only."""
    path = _path(graph)
    return Picture(
        name=name,
        words=_counted(len(graph.nodes), path),
        graph=graph,
        stages=tuple(StageBox(name=node) for node in graph.nodes),
        links={},
        path=path,
    )


def _path(graph: ExecutionGraph) -> tuple[str, ...]:
    """Return the longest path of *graph*; () without arcs."""
    return longest_path(graph) if graph.arcs else ()


def _counted(stages: int, path: tuple[str, ...]) -> tuple[str, ...]:
    counted = "1 stage" if stages == 1 else f"{stages} stages"
    return (counted, f"{len(path)} on the longest path") if path else (counted,)


def _when(plan: Plan) -> Iterator[str]:
    if plan.selection is Selection.ON_DEMAND:
        yield "runs only on demand"
    if plan.condition is not None:
        yield f"when {words(plan.condition)}"
    for schedule in plan.schedules:
        yield f"scheduled {schedule.cron} ({schedule.timezone or 'UTC'})"


def _stage(job: Job) -> StageBox:
    marked = tuple(_marks(job))
    return StageBox(name=job.stage, marks=tuple(mark for mark, _ in marked), notes=tuple(note for _, note in marked))


def _marks(job: Job) -> Iterator[tuple[StageMark, str]]:
    """Yield the special properties of *job* with explanations."""
    if job.is_final:
        yield StageMark.FINALLY, f"after all others, {ending(job.on_status)}"
    if job.condition is not None:
        yield StageMark.CONDITION, f"when {words(job.condition)}"
    if job.deployment.approval is not None:
        yield StageMark.APPROVAL, "needs an approval"
    if job.deployment.delay is not None:
        yield StageMark.DELAY, "starts after a delay"
    if job.combination is not None:
        yield StageMark.MATRIX, ", ".join(f"{axis} {value}" for axis, value in job.combination.values)
    if job.limits.allow_failure is not None:
        yield StageMark.MAY_FAIL, "may fail"


def _links(plan: Plan) -> Iterator[tuple[tuple[str, str], Link]]:
    """Yield the values and files that arcs transfer."""
    jobs = {job.stage: job for job in plan.jobs}
    for earlier, later in plan.graph.arcs:
        values = tuple(output.name for output in jobs[later].reads if output.stage == earlier)
        files = tuple(left_by(jobs[earlier])) if earlier in jobs[later].files else ()
        if values or files:
            yield (earlier, later), Link(values=values, files=files)


def left_by(job: Job) -> Iterator[str]:
    """Yield the paths of the files of *job* for later stages."""
    for artifact in job.artifacts:
        if artifact.travels:
            yield artifact.path or "files known at run time"
