"""The pipelines and stages of a local run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pipegen.diagnostics.report import Report
from pipegen.graph.execution import ExecutionGraph
from pipegen.graph.narrowing import narrowed
from pipegen.plan.model import Image, Job, Plan, Selection
from pipegen.plan.model.texts import outputs_in
from pipegen.plan.rewriting import instances
from pipegen.run.local.conditions import RunContext
from pipegen.run.priorities import check_stages, priorities
from pipegen.run.tasks import running
from pipegen.structs import Struct, field, replace


class SelectedPipeline(Struct):
    """A selected pipeline: the order of its stages, and its selected jobs including finally stages.

    *priorities* are those of stages, 0 without one.
    """

    plan: Plan
    graph: ExecutionGraph
    jobs: tuple[Job, ...]
    priorities: Mapping[str, int] = field(default_factory=dict)

    def by_priority(self, stages: Iterable[str]) -> list[str]:
        """Return *stages* with the highest priority first, else in their order."""
        return sorted(stages, key=lambda stage: -self.priorities.get(stage, 0))


def pipelines(plans: Sequence[Plan], named: Sequence[str], context: RunContext) -> tuple[Plan, ...]:
    """Return those of *plans* that run: those *named*, else each that always runs and whose condition holds.

    The only pipeline of a file runs whatever its condition, unless the user requests the run of an event.
    """
    if named:
        return tuple(plan for plan in plans if plan.name in named)
    if len(plans) == 1 and context.requested is None:
        return tuple(plans)
    return tuple(plan for plan in plans if plan.selection is Selection.ALWAYS and context.holds(plan.condition))


def select(plans: Sequence[Plan], stages: Sequence[str], report: Report) -> tuple[SelectedPipeline, ...]:
    """Return the selected stages of *plans*: all, or *stages* with their needs; a matrix selects all combinations.

    A stage that stops an environment runs only if it is named.
    """
    if not stages:
        return tuple(map(_whole, plans))
    _check("--stage", stages, plans, (job for plan in plans for job in plan.jobs), report)
    parts = (_part(plan, stages) for plan in plans)
    return tuple(part for part in parts if part.jobs)


def read_stages(job: Job) -> frozenset[str]:
    """Return the stages whose values, files, images or containers *job* uses."""
    values = (output.stage for output in (*job.inputs, *outputs_in(job.machine.image_names)))
    images = (image.producer for image in instances(Image, job.steps) if image.producer is not None)
    return frozenset((*values, *job.files, *job.containers, *images)) - {job.stage}


def _whole(plan: Plan) -> SelectedPipeline:
    graph = running(plan, plan.graph)
    return SelectedPipeline(plan, graph, tuple(job for job in plan.jobs if job.is_final or job.stage in graph))


def with_priorities(
    selected: Sequence[SelectedPipeline], first: Sequence[str], report: Report
) -> tuple[SelectedPipeline, ...]:
    """Return *selected* with priorities for the stages *first* and for all before them; the first name is the highest.

    Unknown names are reported.
    """
    if not first:
        return tuple(selected)
    _check("--first", first, [part.plan for part in selected], (job for part in selected for job in part.jobs), report)
    return tuple(replace(part, priorities=priorities(part.graph, part.jobs, first)) for part in selected)


def _check(option: str, stages: Sequence[str], plans: Sequence[Plan], jobs: Iterable[Job], report: Report) -> None:
    """Report the *stages* of an *option* that no job of *plans* has."""
    if plans:
        check_stages(option, stages, jobs, plans[0].span.file, report)


def _part(plan: Plan, stages: Sequence[str]) -> SelectedPipeline:
    known = {job.stage: job for job in plan.jobs}
    selected: set[str] = set()
    waiting = [job for job in plan.jobs if job.stage in stages or job.title in stages]
    while waiting:
        job = waiting.pop()
        if job.stage not in selected:
            selected.add(job.stage)
            waiting += [known[stage] for stage in sorted(read_stages(job))]
    graph = narrowed(plan.graph, [stage for stage in plan.graph.nodes if stage in selected])
    return SelectedPipeline(plan, graph, tuple(job for job in plan.jobs if job.stage in selected))
