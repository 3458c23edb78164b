"""The pipeline that is generated if no stage remains."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote

from pipegen.bindings.script.model import ParsedScript
from pipegen.graph.execution import ExecutionGraph
from pipegen.numbering import unique_name
from pipegen.plan.model import Commands, Job, Line, Plan, Selection, SharedResources, Workspace

_NAME = "nothing to do"


def always_runs(plan: Plan) -> bool:
    """Return whether at least one job of *plan* runs in every run without chosen pipelines."""
    if plan.selection is not Selection.ALWAYS or plan.condition is not None:
        return False
    return any(job.condition is None and not job.is_final for job in plan.jobs)


def empty_plan(plans: Sequence[Plan], since: str) -> Plan:
    """Return a pipeline with one stage, which prints that nothing in *plans* is affected by changes since *since*."""
    first = plans[0]
    name = unique_name(_NAME, {plan.name for plan in plans})
    message = f"none of the files that stages name has changed since {since}"
    script = ParsedScript((f"printf '%s\\n' {quote(message)}",), first.span)
    return Plan(
        name=name,
        span=first.span,
        graph=ExecutionGraph([(_NAME,)]),
        frames=((_NAME,),),
        jobs=(_job(name, plans, Commands(lines=(Line(script, ()),), env=(), outputs=(), span=first.span)),),
        fetch=first.fetch,
        workspace=Workspace.ISOLATED,
        workspace_span=None,
        selection=Selection.ALWAYS,
        folder=first.folder,
        inputs=first.inputs,
    )


def _job(pipeline: str, plans: Sequence[Plan], commands: Commands) -> Job:
    return Job(
        stage=_NAME,
        pipeline=pipeline,
        slug=unique_name(_NAME.replace(" ", "-"), {job.slug for plan in plans for job in plan.jobs}),
        span=plans[0].span,
        frame=0,
        needs=(),
        reads=(),
        binds=(),
        inputs=(),
        outputs=(),
        files=(),
        artifacts=(),
        directory=".",
        steps=(commands,),
        mail=None,
        shared=SharedResources(),
    )
