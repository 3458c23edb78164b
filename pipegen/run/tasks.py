"""A plan as a run with tasks."""

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
    priorities: Mapping[str, int] | None = None,
) -> PipelineRun:
    """Return the run of *plan*: of the stages in *graph*, in that order, or of all stages.

    A stage that stops an environment is started manually, so it runs only if *graph* contains it. *durations* holds the
    known seconds by stage. *first* is the index of the first stage among the stages of all pipelines that run in
    parallel. *priorities* holds those of stages that have one. All finally stages are included.
    """
    run_graph = running(plan, plan.graph) if graph is None else graph
    known = {job.stage: (durations or {}).get(job.stage, 0.0) for job in plan.jobs if can_run(job)}
    remaining = longest_behind(run_graph, known, delays(plan.jobs))
    jobs = [job for job in plan.jobs if job.is_final or job.stage in run_graph]
    return PipelineRun(
        name=plan.name,
        graph=run_graph,
        tasks=tuple(
            Task(
                id=TaskId(plan.name, job.stage),
                job=job,
                plan=plan,
                demand=demand(job),
                remaining=remaining.get(job.stage, known.get(job.stage, 0.0)),
                order=index,
                priority=(priorities or {}).get(job.stage, 0),
            )
            for index, job in enumerate(jobs, start=first)
        ),
        is_fail_fast=plan.is_fail_fast,
        timeout=plan.timeout.seconds if plan.timeout is not None else None,
    )


def running(plan: Plan, graph: ExecutionGraph) -> ExecutionGraph:
    """Return *graph* without the stages of *plan* that stop an environment; these have no successors (PG544)."""
    stopping = {job.stage for job in plan.jobs if job.deployment.stops_environment}
    if stopping.isdisjoint(graph.nodes):
        return graph
    rows = [*((node,) for node in graph.nodes), *graph.arcs]
    return ExecutionGraph(arc for arc in rows if stopping.isdisjoint(arc))


def can_run(job: Job) -> bool:
    """Return whether the condition of *job* can hold in any run."""
    return job.condition != NEVER


def delays(jobs: Iterable[Job]) -> dict[str, float]:
    """Return the delays of stages in seconds, without stages that have none."""
    return {job.stage: float(job.deployment.delay.seconds) for job in jobs if job.deployment.delay and can_run(job)}


def demand(job: Job) -> Demand:
    """Return the resources that *job* takes while it runs."""
    resources = job.machine.resources
    return Demand(
        cpu=(resources.cpu or 0) if resources else 0,
        memory=(resources.memory or 0) if resources else 0,
        labels=job.machine.labels,
        locks=tuple(lock.name for lock in job.deployment.locks),
    )


def longest_behind(
    graph: ExecutionGraph, durations: Mapping[str, float], delay_of: Mapping[str, float]
) -> dict[str, float]:
    """Return the seconds of the longest path from each stage, including that stage.

    *delay_of* holds the delays of stages in seconds.
    """
    lengths: dict[str, float] = {}
    for stage in reversed(graph.topological()):
        longest = max([delay_of.get(later, 0.0) + lengths[later] for later in graph.successors(stage)], default=0.0)
        lengths[stage] = longest + durations.get(stage, 0.0)
    return lengths
