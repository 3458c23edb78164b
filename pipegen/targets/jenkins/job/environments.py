"""Checks for environments, which Jenkins lacks."""

from __future__ import annotations

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.model import Plan
from pipegen.structs import replace


def without_stops(plan: Plan, report: Report) -> Plan:
    """Return *plan* without the stages that stop environments, which only a person would start."""
    for job in plan.jobs:
        environment = job.deployment.environment
        if environment is not None and environment.stops:
            report.add(
                codes.STOP_LEFT_OUT,
                f'stage "{job.title}" takes an environment down when a person says so: it is left out on Jenkins',
                at=job.span,
                hint="make it a pipeline of its own, which runs only when PIPEGEN_PIPELINE names it",
            )
        elif environment is not None:
            report.add(
                codes.NOT_ON_JENKINS,
                f'Jenkins has no environments: the environment of stage "{job.title}" is not shown',
                at=environment.span,
                hint="print the URL in the script"
                if environment.url is not None
                else "put the name of the environment into the name of the stage, or print it in the script",
            )
    left_out = {
        job.stage for job in plan.jobs if job.deployment.environment is not None and job.deployment.environment.stops
    }
    return _without(plan, left_out) if left_out else plan


def _without(plan: Plan, stages: set[str]) -> Plan:
    """Return *plan* without *stages*, which have no successors."""
    remaining = [stage for stage in plan.graph.nodes if stage not in stages]
    arcs = [(earlier, stage) for stage in remaining for earlier in plan.graph.predecessors(stage)]
    graph = ExecutionGraph([*((stage,) for stage in remaining), *arcs])
    jobs = tuple(job for job in plan.jobs if job.stage not in stages)
    return replace(plan, graph=graph, frames=tuple(map(tuple, graph.stack())), jobs=jobs)
