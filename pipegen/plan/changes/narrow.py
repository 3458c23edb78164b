"""Plans without the stages that a change does not concern."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import chain

from pipegen.diagnostics.report import Report
from pipegen.graph.narrowing import narrowed
from pipegen.plan.changes.choice import AffectedStages, choose
from pipegen.plan.changes.empty import is_sure_to_run, nothing
from pipegen.plan.changes.filters import answered, changed_in, is_filtered, unfiltered
from pipegen.plan.changes.reads import absent
from pipegen.plan.changes.report import report_left_out, report_nothing, report_pipeline, report_whole
from pipegen.plan.consumers import expanded_outputs, inputs_of, shared
from pipegen.plan.model import NEVER, Condition, FilesChanged, Job, Output, Plan, SharedResources
from pipegen.plan.model.texts import stage_texts
from pipegen.structs import replace


def narrow(
    plans: Sequence[Plan], files: Collection[str], since: str, report: Report, *, chosen: bool = False
) -> tuple[Plan, ...]:
    """Return of *plans* what the change of *files* since a revision concerns; the conditions ask for no files any more.

    What is left out is reported. Pipelines that the user has *chosen* run whatever their own conditions say.
    Where nothing is left that is sure to run, a stage stands in its place that says so: engines know no empty pipeline.
    """
    if not any(is_filtered(condition) for plan in plans for condition in _conditions(plan)):
        report_whole(plans[0].span, "no stage and no pipeline names files", report)
        return tuple(plans)
    changed = changed_in(files)
    found = tuple(plan for one in plans if (plan := _narrowed(one, changed, since, report, chosen=chosen)))
    is_less = sum(len(plan.jobs) for plan in found) < sum(len(plan.jobs) for plan in plans)
    if not is_less or any(map(is_sure_to_run, found)):
        return found
    report_nothing(plans[0].span, since, report)
    return (nothing(plans, since), *found)


def whole(plans: Iterable[Plan]) -> tuple[Plan, ...]:
    """Return *plans* with conditions that ask for no files: all of them have changed."""
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
    plan: Plan, changed: Callable[[FilesChanged], bool], since: str, report: Report, *, chosen: bool
) -> Plan | None:
    """Return what is kept of *plan*; None for nothing."""
    names_files = is_filtered(plan.condition)
    condition = unfiltered(plan.condition) if chosen else answered(plan.condition, changed)
    if names_files and condition == NEVER:
        report_pipeline(plan, since, report)
        return None
    is_concerned = names_files or not any(is_filtered(job.condition) for job in plan.jobs)
    choice = choose(plan, changed, is_concerned=is_concerned)
    if choice.left_out:
        report_left_out(plan, choice.left_out, since, report)
    return _without(replace(plan, condition=condition), choice) if choice.conditions else None


def _without(plan: Plan, choice: AffectedStages) -> Plan:
    """Return *plan* with the stages of *choice* alone, which know nothing of the others."""
    gone = frozenset(job.stage for job in choice.left_out)
    graph = narrowed(plan.graph, [stage for stage in plan.graph.nodes if stage not in gone])
    kept = [replace(job, condition=choice.conditions[job.stage]) for job in plan.jobs if job.stage not in gone]
    if not gone:
        return replace(plan, jobs=tuple(kept))
    frames = graph.stack()
    frame_of = {stage: number for number, frame in enumerate(frames) for stage in frame}
    alone = [
        replace(
            _alone(job, gone),
            frame=frame_of.get(job.stage),
            needs=() if job.is_final else graph.predecessors(job.stage),
        )
        for job in kept
    ]
    return replace(plan, graph=graph, frames=frames, jobs=_wanted(alone))


def _alone(job: Job, gone: frozenset[str]) -> Job:
    """Return *job* with nothing of the stages *gone*."""
    read = {*(output.stage for output in (*job.inputs, *job.reads)), *job.statuses}
    if gone.isdisjoint((*read, *job.files)):
        return job
    job = replace(
        job,
        reads=tuple(output for output in job.reads if output.stage not in gone),
        files=tuple(stage for stage in job.files if stage not in gone),
        statuses=tuple(stage for stage in job.statuses if stage not in gone),
        steps=absent(job.steps, gone),
        after=absent(job.after, gone),
        machine=absent(job.machine, gone),
        deployment=absent(job.deployment, gone),
        mail=absent(job.mail, gone),
    )
    texts = stage_texts(job.stage, job.steps, job.after, job.machine, job.deployment.environment, job.mail)
    return replace(job, inputs=inputs_of(job.stage, texts))


def _wanted(jobs: Sequence[Job]) -> tuple[Job, ...]:
    """Return *jobs*, each leaving to others what is still wanted of it."""
    inputs = [job.inputs for job in jobs]
    wanted = set(chain.from_iterable(inputs))
    outliving = shared(inputs, {job.stage: job.steps for job in jobs})
    named = expanded_outputs(job.machine for job in jobs)
    found = []
    for job in jobs:
        outputs = tuple(name for name in job.outputs if Output(job.stage, name) in wanted)
        expanded = tuple(name for name in outputs if Output(job.stage, name) in named)
        found.append(
            replace(job, outputs=outputs, expanded=expanded, shared=outliving.get(job.stage, SharedResources()))
        )
    return tuple(found)
