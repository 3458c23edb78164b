"""A plan as what a run is made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.model import NEVER, Job, Plan
from pipegen.run.model import Demand, PipelineRun, Task, TaskId


def pipeline_run(
    plan: Plan,
    durations: Mapping[str, float] | None = None,
    *,
    graph: ExecutionGraph | None = None,
    first: int = 0,
) -> PipelineRun:
    """Return the run of *plan*: of the stages in *graph*, which says in which order they run then, or of all.

    A stage that takes an environment down is in a run only where *graph* names it: a person starts it, some other day.
    *durations* are those of stages, as far as they are known. *first* is the place of its first stage among the stages
    of all pipelines that run side by side. A part of the stages still has all finally stages.
    """
    order = running(plan, plan.graph) if graph is None else graph
    known = {job.stage: (durations or {}).get(job.stage, 0.0) for job in plan.jobs if can_run(job)}
    remaining = longest_behind(order, known, delays(plan.jobs))
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
                remaining=remaining.get(job.stage, known.get(job.stage, 0.0)),
                order=place,
            )
            for place, job in enumerate(jobs, start=first)
        ),
        is_fail_fast=plan.is_fail_fast,
    )


def running(plan: Plan, graph: ExecutionGraph) -> ExecutionGraph:
    """Return *graph* without the stages of *plan* that take an environment down; nothing comes after those (PG544)."""
    stopping = {job.stage for job in plan.jobs if job.deployment.environment and job.deployment.environment.stops}
    if stopping.isdisjoint(graph.nodes):
        return graph
    told = [*((node,) for node in graph.nodes), *graph.arcs]
    return ExecutionGraph(arc for arc in told if stopping.isdisjoint(arc))


def can_run(job: Job) -> bool:
    """Return whether there is a run in which the condition of *job* holds."""
    return job.condition != NEVER


def delays(jobs: Iterable[Job]) -> dict[str, float]:
    """Return the seconds for which stages are put off, those that are."""
    return {job.stage: float(job.deployment.delay.seconds) for job in jobs if job.deployment.delay and can_run(job)}


def demand(job: Job) -> Demand:
    """Return what *job* takes of a machine while it runs."""
    resources = job.machine.resources
    return Demand(
        cpu=(resources.cpu or 0) if resources else 0,
        memory=(resources.memory or 0) if resources else 0,
        labels=job.machine.labels,
        locks=tuple(lock.name for lock in job.deployment.locks),
    )


def longest_behind(
    graph: ExecutionGraph, durations: Mapping[str, float], put_off: Mapping[str, float]
) -> dict[str, float]:
    """Return how long the longest path from the start of each stage takes, that stage included.

    *put_off* are the seconds that stages wait before they start, where they do.
    """
    found: dict[str, float] = {}
    for stage in reversed(graph.topological()):
        behind = max((put_off.get(later, 0.0) + found[later] for later in graph.successors(stage)), default=0.0)
        found[stage] = behind + durations.get(stage, 0.0)
    return found
