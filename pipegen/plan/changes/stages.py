"""Plans without some stages, or without the waits for them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import chain

from pipegen.graph.execution import ExecutionGraph
from pipegen.graph.narrowing import narrowed
from pipegen.plan.changes.choice import AffectedStages
from pipegen.plan.changes.reads import with_defaults
from pipegen.plan.consumers import expanded_outputs, shared
from pipegen.plan.model import Job, Output, Plan, SharedResources
from pipegen.plan.model.texts import job_texts, outputs_in
from pipegen.structs import replace


def with_stages(plan: Plan, choice: AffectedStages) -> Plan:
    """Return *plan* with only the stages of *choice*, without references to the others."""
    removed = frozenset(job.stage for job in choice.left_out)
    graph = narrowed(plan.graph, [stage for stage in plan.graph.nodes if stage not in removed])
    remaining = [replace(job, condition=choice.conditions[job.stage]) for job in plan.jobs if job.stage not in removed]
    if not removed:
        return replace(plan, jobs=tuple(remaining))
    return with_graph(plan, graph, [detached(job, removed) for job in remaining])


def with_graph(plan: Plan, graph: ExecutionGraph, jobs: Sequence[Job]) -> Plan:
    """Return *plan* with *jobs* in the order of *graph*, and only the outputs and resources that they use."""
    frames = graph.stack()
    frame_of = {stage: number for number, frame in enumerate(frames) for stage in frame}
    placed = [
        replace(job, frame=frame_of.get(job.stage), needs=() if job.is_final else graph.predecessors(job.stage))
        for job in jobs
    ]
    return replace(plan, graph=graph, frames=frames, jobs=_trimmed(placed))


def detached(job: Job, removed: Collection[str]) -> Job:
    """Return *job* without references to the stages in *removed*."""
    read = {*(output.stage for output in (*job.inputs, *job.reads)), *job.statuses}
    if not any(stage in removed for stage in (*read, *job.files, *job.raw_files)):
        return job
    job = replace(
        job,
        reads=tuple(output for output in job.reads if output.stage not in removed),
        files=tuple(stage for stage in job.files if stage not in removed),
        raw_files=tuple(stage for stage in job.raw_files if stage not in removed),
        statuses=tuple(stage for stage in job.statuses if stage not in removed),
        steps=with_defaults(job.steps, removed),
        after=with_defaults(job.after, removed),
        machine=with_defaults(job.machine, removed),
        deployment=with_defaults(job.deployment, removed),
        mail=with_defaults(job.mail, removed),
    )
    return replace(job, inputs=outputs_in(job_texts(job), job.stage))


def _trimmed(jobs: Sequence[Job]) -> tuple[Job, ...]:
    """Return *jobs*, each with only the outputs and resources that remaining jobs use."""
    inputs = [job.inputs for job in jobs]
    read_outputs = set(chain.from_iterable(inputs))
    resources = shared(inputs, {job.stage: job.steps for job in jobs})
    named = expanded_outputs(job.machine for job in jobs)
    trimmed = []
    for job in jobs:
        outputs = tuple(name for name in job.outputs if Output(job.stage, name) in read_outputs)
        expanded = tuple(name for name in outputs if Output(job.stage, name) in named)
        trimmed.append(
            replace(job, outputs=outputs, expanded=expanded, shared=resources.get(job.stage, SharedResources()))
        )
    return tuple(trimmed)
