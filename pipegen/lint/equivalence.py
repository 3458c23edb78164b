"""Whether two configs mean the same: what `--fix` may change, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.model import Commands, Job, Measure, Measured, Output, Plan, Step
from pipegen.structs import replace


def is_same(one: Sequence[Plan], other: Sequence[Plan]) -> bool:
    """Return whether the plans say the same, but for arcs that others imply and commands that are run for nobody."""
    return [_bare(plan) for plan in one] == [_bare(plan) for plan in other]


def _bare(plan: Plan) -> Plan:
    """Return *plan* with the fewest arcs that tell its order, and without outputs that nobody reads."""
    order = plan.graph.transitive_reduction()
    read = {output for job in plan.jobs for output in job.reads}
    return replace(
        plan,
        graph=order,
        frames=tuple(tuple(sorted(frame)) for frame in plan.frames),
        jobs=tuple(_job(job, order, read) for job in plan.jobs),
    )


def _job(job: Job, order: ExecutionGraph, read: set[Output]) -> Job:
    idle = {
        output.name
        for step in job.steps
        if isinstance(step, Commands)
        for output in step.outputs
        if is_idle(output) and Output(job.stage, output.name) not in read
    }
    needs = sorted(order.predecessors(job.stage)) if job.stage in order else ()
    binds = tuple(name for name in job.binds if name not in idle)
    return replace(job, needs=tuple(needs), binds=binds, steps=tuple(_step(step, idle) for step in job.steps))


def _step(step: Step, idle: set[str]) -> Step:
    if not isinstance(step, Commands) or not idle:
        return step
    return replace(step, outputs=tuple(output for output in step.outputs if output.name not in idle))


def is_idle(output: Measured) -> bool:
    """Return whether *output* does nothing where nobody reads it: a file must be there in any case."""
    return output.measure is Measure.COMMAND and output.command is not None and not output.command.values
