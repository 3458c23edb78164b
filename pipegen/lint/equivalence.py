"""Equivalence of configs, apart from the changes that `--fix` may make."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.model import Commands, Job, Measure, Measured, Output, Plan, Step
from pipegen.structs import replace


def is_equivalent(plans: Sequence[Plan], other_plans: Sequence[Plan]) -> bool:
    """Return whether the plans are the same, apart from implied arcs and outputs that nobody reads."""
    return [_normalized(plan) for plan in plans] == [_normalized(plan) for plan in other_plans]


def _normalized(plan: Plan) -> Plan:
    """Return *plan* with the minimal arcs for its order, and without outputs that nobody reads."""
    order = plan.graph.transitive_reduction()
    read = {output for job in plan.jobs for output in job.reads}
    return replace(
        plan,
        graph=order,
        frames=tuple(tuple(sorted(frame)) for frame in plan.frames),
        jobs=tuple(_job(job, order, read) for job in plan.jobs),
    )


def _job(job: Job, order: ExecutionGraph, read: set[Output]) -> Job:
    unread = {
        output.name
        for step in job.steps
        if isinstance(step, Commands)
        for output in step.outputs
        if is_removable(output) and Output(job.stage, output.name) not in read
    }
    needs = sorted(order.predecessors(job.stage)) if job.stage in order else ()
    binds = tuple(name for name in job.binds if name not in unread)
    return replace(job, needs=tuple(needs), binds=binds, steps=tuple(_step(step, unread) for step in job.steps))


def _step(step: Step, unread: set[str]) -> Step:
    if not isinstance(step, Commands) or not unread:
        return step
    return replace(step, outputs=tuple(output for output in step.outputs if output.name not in unread))


def is_removable(output: Measured) -> bool:
    """Return whether *output* has no effect if nobody reads it; an output from a file requires the file."""
    return output.measure is Measure.COMMAND and output.command is not None and not output.command.values
