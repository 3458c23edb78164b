"""Plans without the stages that a change does not affect."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import chain

from pipegen.diagnostics.report import Report
from pipegen.graph.narrowing import narrowed
from pipegen.plan.changes.choice import AffectedStages, choose
from pipegen.plan.changes.empty import always_runs, empty_plan
from pipegen.plan.changes.filters import changed_in, evaluated, is_filtered, unfiltered
from pipegen.plan.changes.reads import with_defaults
from pipegen.plan.changes.report import report_left_out, report_nothing, report_pipeline, report_whole
from pipegen.plan.consumers import expanded_outputs, inputs_of, shared
from pipegen.plan.model import NEVER, Condition, FilesChanged, Job, Output, Plan, SharedResources
from pipegen.plan.model.texts import job_texts
from pipegen.structs import replace


def narrow(
    plans: Sequence[Plan], files: Collection[str], since: str, report: Report, *, has_selection: bool = False
) -> tuple[Plan, ...]:
    """Return the parts of *plans* that the changes of *files* since a revision affect, without path filters.

    Omitted parts are reported. With *has_selection*, the user selected the pipelines, which run regardless of their own
    conditions. If no remaining stage is certain to run, one is added that prints so: engines do not accept an empty
    pipeline.
    """
    if not any(is_filtered(condition) for plan in plans for condition in _conditions(plan)):
        report_whole(plans[0].span, "no stage and no pipeline names files", report)
        return tuple(plans)
    changed = changed_in(files)
    narrowed_plans = tuple(
        plan for original in plans if (plan := _narrowed(original, changed, since, report, has_selection=has_selection))
    )
    is_less = sum(len(plan.jobs) for plan in narrowed_plans) < sum(len(plan.jobs) for plan in plans)
    if not is_less or any(map(always_runs, narrowed_plans)):
        return narrowed_plans
    report_nothing(plans[0].span, since, report)
    return (empty_plan(plans, since), *narrowed_plans)


def unfiltered_plans(plans: Iterable[Plan]) -> tuple[Plan, ...]:
    """Return *plans* without path filters, as if all files had changed."""
    return tuple(
        replace(
            plan,
            condition=unfiltered(plan.condition),
            jobs=tuple(replace(job, condition=unfiltered(job.condition)) for job in plan.jobs),
        )
        for plan in plans
    )


def _conditions(plan: Plan) -> tuple[Condition | None, ...]:
    return (plan.condition, *(job.condition for job in plan.jobs))


def _narrowed(
    plan: Plan, changed: Callable[[FilesChanged], bool], since: str, report: Report, *, has_selection: bool
) -> Plan | None:
    """Return the remaining part of *plan*, or None."""
    names_files = is_filtered(plan.condition)
    condition = unfiltered(plan.condition) if has_selection else evaluated(plan.condition, changed)
    if names_files and condition == NEVER:
        report_pipeline(plan, since, report)
        return None
    is_concerned = names_files or not any(is_filtered(job.condition) for job in plan.jobs)
    choice = choose(plan, changed, is_concerned=is_concerned)
    if choice.left_out:
        report_left_out(plan, choice.left_out, since, report)
    return with_stages(replace(plan, condition=condition), choice) if choice.conditions else None


def with_stages(plan: Plan, choice: AffectedStages) -> Plan:
    """Return *plan* with only the stages of *choice*, without references to the others."""
    removed = frozenset(job.stage for job in choice.left_out)
    graph = narrowed(plan.graph, [stage for stage in plan.graph.nodes if stage not in removed])
    remaining = [replace(job, condition=choice.conditions[job.stage]) for job in plan.jobs if job.stage not in removed]
    if not removed:
        return replace(plan, jobs=tuple(remaining))
    frames = graph.stack()
    frame_of = {stage: number for number, frame in enumerate(frames) for stage in frame}
    detached = [
        replace(
            _detached(job, removed),
            frame=frame_of.get(job.stage),
            needs=() if job.is_final else graph.predecessors(job.stage),
        )
        for job in remaining
    ]
    return replace(plan, graph=graph, frames=frames, jobs=_trimmed(detached))


def _detached(job: Job, removed: frozenset[str]) -> Job:
    """Return *job* without references to the stages in *removed*."""
    read = {*(output.stage for output in (*job.inputs, *job.reads)), *job.statuses}
    if removed.isdisjoint((*read, *job.files, *job.raw_files)):
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
    return replace(job, inputs=inputs_of(job.stage, job_texts(job)))


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
