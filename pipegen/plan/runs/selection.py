"""Which pipelines of a file run, and which wait to be asked for."""

from __future__ import annotations

from collections.abc import Container, Sequence

from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, listed
from pipegen.plan.model import Deploy, Job, Plan, Promote, PublishImage, Selection, Step, TriggerJob

# What must not happen by accident when a file holds several pipelines (DESIGN, "which of them run").
_EFFECTS: dict[type[Step], str] = {
    PublishImage: "publishes",
    Promote: "promotes",
    Deploy: "deploys",
    TriggerJob: "triggers another job",
}


def selection(jobs: Sequence[Job], *, several: bool, has_condition: bool = False, is_called: bool = False) -> Selection:
    """Return when the pipeline of *jobs* runs; *several* says that its file holds others too.

    One that *has_condition* says itself when it runs; one that *is_called* runs in the place of a stage of another.
    """
    is_risky = several and not has_condition and _effect(jobs) is not None
    return Selection.ON_DEMAND if is_called or is_risky else Selection.ALWAYS


def report_on_demand(plans: Sequence[Plan], called: Container[str], report: Report) -> None:
    """Tell, once for a file, which pipelines run only when asked for; *called* are those that others run."""
    found = [plan for plan in plans if plan.selection is Selection.ON_DEMAND]
    if not found:
        return
    first = found[0]
    if len(found) == 1 and first.name in called:
        message = f'pipeline "{first.name}" runs on its own only when asked for, since another one runs it'
        hint = f"set PIPEGEN_PIPELINE={first.name} to run it alone"
    elif len(found) == 1:
        message = f'pipeline "{first.name}" runs only when asked for, since it {_effect(first.jobs)}'
        hint = f"set PIPEGEN_PIPELINE={first.name} to run it; several names go with commas between, all of them by all"
    else:
        names = listed([plan.name for plan in found])
        why = "publish, deploy or run in others" if any(plan.name in called for plan in found) else "publish or deploy"
        message = f"{len(found)} of {len(plans)} pipelines run only when asked for, since they {why}: {names}"
        hint = "set PIPEGEN_PIPELINE to the names of those to run, with commas between, or to all"
    report.add(
        codes.ON_DEMAND_PIPELINE,
        message,
        at=first.span,
        also=[Label(plan.span) for plan in found[1:_SHOWN]],
        hint=hint,
    )


# A file of fifty services would fill the screen.
_SHOWN = 4


def _effect(jobs: Sequence[Job]) -> str | None:
    return next((_EFFECTS[type(step)] for job in jobs for step in job.steps if type(step) in _EFFECTS), None)
