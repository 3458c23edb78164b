"""Checks for environments, which Jenkins lacks."""

from __future__ import annotations

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.graph.narrowing import narrowed
from pipegen.plan.model import Environment, Job, Plan
from pipegen.structs import replace


def without_stops(plan: Plan, report: Report) -> Plan:
    """Return *plan* without the stages that stop environments, which only a person would start."""
    left_out: set[str] = set()
    for job in plan.jobs:
        environment = job.deployment.environment
        if job.deployment.stops_environment:
            left_out.add(job.stage)
            report.add(
                codes.STOP_LEFT_OUT,
                f'stage "{job.title}" takes an environment down when a person says so: it is left out on Jenkins',
                at=job.span,
                hint="make it a pipeline of its own, which runs only when PIPEGEN_PIPELINE names it",
            )
        elif environment is not None and not _is_shown(environment, job):
            report.add(
                codes.NOT_ON_JENKINS,
                f'Jenkins has no environments: the environment of stage "{job.title}" is not shown',
                at=environment.span,
                hint="print the URL in the script"
                if environment.url is not None
                else "put the name of the environment into the name of the stage, or print it in the script",
            )
    return _without(plan, left_out) if left_out else plan


def _is_shown(environment: Environment, job: Job) -> bool:
    """Return whether *environment* is only a name, which the name of the stage contains."""
    name = environment.name.constant
    is_name = environment == Environment(name=environment.name, span=environment.span)
    return is_name and name is not None and name.casefold() in job.title.casefold()


def _without(plan: Plan, stages: set[str]) -> Plan:
    """Return *plan* without *stages*, which have no successors."""
    graph = narrowed(plan.graph, [stage for stage in plan.graph.nodes if stage not in stages])
    jobs = tuple(job for job in plan.jobs if job.stage not in stages)
    return replace(plan, graph=graph, frames=graph.stack(), jobs=jobs)
