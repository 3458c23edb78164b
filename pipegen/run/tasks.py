"""A plan as what a run is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.model import Job, Plan
from pipegen.run.model import Demand, PipelineRun, Task, TaskId


def pipeline_run(
    plan: Plan,
    durations: Mapping[str, float] | None = None,
    *,
    graph: ExecutionGraph | None = None,
    first: int = 0,
) -> PipelineRun:
    """Return the run of *plan*: all its stages, or those of *graph*, which says in which order they run then.

    *durations* are those of stages, as far as they are known. *first* is the place of its first stage among the stages
    of all pipelines that run side by side. A part of the stages still has all finally stages.
    """
    order = graph or plan.graph
    delays = {job.stage: float(job.gate.delay.seconds) for job in plan.jobs if job.gate.delay}
    remaining = longest_behind(order, durations or {}, delays)
    jobs = [job for job in plan.jobs if job.is_final or job.stage in order]
    return PipelineRun(
        name=plan.name,
        graph=order,
        tasks=tuple(
            Task(
                id=TaskId(plan.name, job.stage),
                job=job,
                plan=plan,
                demand=demand(job),
                remaining=remaining.get(job.stage, (durations or {}).get(job.stage, 0.0)),
                order=place,
            )
            for place, job in enumerate(jobs, start=first)
        ),
        is_fail_fast=plan.is_fail_fast,
    )


def pipeline_runs(plans: Iterable[Plan], duration: Callable[[str, str], float]) -> tuple[PipelineRun, ...]:
    """Return the runs of *plans*, side by side; *duration* is that of a stage of a pipeline."""
    found: list[PipelineRun] = []
    for plan in plans:
        durations = {job.stage: duration(plan.name, job.stage) for job in plan.jobs}
        found.append(pipeline_run(plan, durations, first=sum(len(run.tasks) for run in found)))
    return tuple(found)


def demand(job: Job) -> Demand:
    """Return what *job* takes of a machine while it runs."""
    resources = job.machine.resources
    return Demand(
        cpu=(resources.cpu or 0) if resources else 0,
        memory=(resources.memory or 0) if resources else 0,
        labels=job.machine.labels,
        locks=tuple(lock.name for lock in job.gate.locks),
    )


def longest_behind(
    graph: ExecutionGraph, durations: Mapping[str, float], delays: Mapping[str, float]
) -> dict[str, float]:
    """Return how long the longest path from the start of each stage takes, that stage included.

    *delays* are what stages wait before they start, where they do.
    """
    found: dict[str, float] = {}
    for stage in reversed(graph.topological()):
        behind = max((delays.get(later, 0.0) + found[later] for later in graph.successors(stage)), default=0.0)
        found[stage] = behind + durations.get(stage, 0.0)
    return found
