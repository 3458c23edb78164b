"""A plan as a fleet runs it: stages by index, with all that is equal in each of its runs computed once."""

from __future__ import annotations

from collections.abc import Mapping

from pipegen.fleet.distributions import Distribution, typical
from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.model import Job, Plan
from pipegen.run.scheduling.amounts import Amounts, requests
from pipegen.run.status import Status
from pipegen.run.tasks import can_run, delays, demand, longest_behind, running
from pipegen.structs import Struct


class StageTimes(Struct, kw_only=True):
    """The keys that a fleet file adds to a stage.

    Attributes:
        duration: the time of an attempt.
        approval: the time until a person approves, if the stage needs an approval.
        failure: the probability that an attempt fails.
    """

    duration: Distribution
    approval: Distribution
    failure: float


class Stage(Struct, kw_only=True):
    """A stage of a workflow.

    Attributes:
        index: its index in the workflow.
        name: its name.
        successors: the indexes of the stages that wait for it.
        requests: the resources that it takes.
        services: the resources of each of its services, which start together with it.
        labels: the labels that its machine must have.
        locks: the locks that it holds.
        is_interruptible: whether it may be stopped for another stage, and starts again later.
        needs_approval: whether a person must approve it.
        delay: seconds that it waits before it is queued.
        retries: the number of further attempts after a failure.
        may_fail: whether the stages after it run although it failed.
        remaining: seconds of the longest path from it.
        times: its times.
    """

    index: int
    name: str
    successors: tuple[int, ...]
    requests: Amounts
    services: tuple[Amounts, ...]
    labels: tuple[str, ...]
    locks: tuple[str, ...]
    is_interruptible: bool
    needs_approval: bool
    delay: float
    retries: int
    may_fail: bool
    remaining: float
    times: StageTimes


class FleetPipeline(Struct):
    """The stages of a pipeline.

    *predecessors* has their numbers by stage, *first* the indexes of stages without predecessors. *final* are the
    indexes of stages that start when all others have succeeded, *final_after_failure* when one has failed.
    """

    stages: tuple[Stage, ...]
    predecessors: tuple[int, ...]
    first: tuple[int, ...]
    final: tuple[int, ...]
    final_after_failure: tuple[int, ...]


def workflow(plan: Plan, times: Mapping[str, StageTimes], services: Mapping[str, Amounts]) -> FleetPipeline:
    """Return the workflow of *plan*, with the *times* of its stages, and the resources of its *services* by alias."""
    graph = running(plan, plan.graph)
    jobs = [job for job in plan.jobs if (job.is_final or job.stage in graph) and can_run(job)]
    known = {job.stage: typical(times[job.stage].duration) for job in jobs}
    delay_of = delays(jobs)
    remaining = longest_behind(graph, known, delay_of)
    index = {job.stage: number for number, job in enumerate(jobs)}
    # A stage whose condition never holds keeps the order of the others.
    successors = {stage: _running_after(stage, graph, index) if stage in graph else [] for stage in index}
    predecessors = [0] * len(jobs)
    for after in successors.values():
        for number in after:
            predecessors[number] += 1
    stages = tuple(
        _stage(
            job,
            index=number,
            successors=tuple(successors[job.stage]),
            services=tuple(services[service.alias] for service in job.machine.services if service.alias in services),
            delay=delay_of.get(job.stage, 0.0),
            remaining=remaining.get(job.stage, known[job.stage]),
            times=times[job.stage],
        )
        for number, job in enumerate(jobs)
    )
    return FleetPipeline(
        stages,
        tuple(predecessors),
        tuple(index[job.stage] for job in jobs if not job.is_final and not predecessors[index[job.stage]]),
        *(
            tuple(index[job.stage] for job in jobs if job.is_final and job.follows(status.value))
            for status in (Status.SUCCESS, Status.FAILED)
        ),
    )


def _running_after(stage: str, graph: ExecutionGraph, index: Mapping[str, int]) -> list[int]:
    """Return the indexes of the next stages after *stage* that can run, past those that cannot."""
    indexes: set[int] = set()
    passed = {stage}
    remaining = [stage]
    while remaining:
        for later in graph.successors(remaining.pop()):
            if later in index:
                indexes.add(index[later])
            elif later not in passed:
                passed.add(later)
                remaining.append(later)
    return sorted(indexes)


def _stage(
    job: Job,
    *,
    index: int,
    successors: tuple[int, ...],
    services: tuple[Amounts, ...],
    delay: float,
    remaining: float,
    times: StageTimes,
) -> Stage:
    taken, limits = demand(job), job.limits
    return Stage(
        index=index,
        name=job.stage,
        successors=successors,
        requests=requests(taken),
        services=services,
        labels=taken.labels,
        locks=tuple(dict.fromkeys(taken.locks)),
        is_interruptible=bool(limits.interruptible),
        needs_approval=job.deployment.approval is not None,
        delay=delay,
        retries=limits.retry.count if limits.retry else 0,
        may_fail=limits.allow_failure is not None,
        remaining=remaining,
        times=times,
    )
