"""Which pipelines of a file run by default, and which only on demand."""

from __future__ import annotations

from collections.abc import Container, Sequence

from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, listed
from pipegen.plan.model import Deploy, Job, Plan, Promote, PublishImage, Selection, Step, TriggerJob

# Effects that must not happen by accident in a file with several pipelines (DESIGN, "which of them run").
_EFFECTS: dict[type[Step], str] = {
    PublishImage: "publishes",
    Promote: "promotes",
    Deploy: "deploys",
    TriggerJob: "triggers another job",
}


def selection(jobs: Sequence[Job], *, several: bool, has_condition: bool = False, is_called: bool = False) -> Selection:
    """Return when the pipeline of *jobs* runs; *several* is whether its file has other pipelines.

    A pipeline that *has_condition* decides when it runs; one that *is_called* runs in place of a stage of another.
    """
    is_risky = several and not has_condition and _effect(jobs) is not None
    return Selection.ON_DEMAND if is_called or is_risky else Selection.ALWAYS


def report_on_demand(plans: Sequence[Plan], called: Container[str], report: Report) -> None:
    """Report, once for a file, the pipelines that run only on demand; *called* are the ones that others run."""
    on_demand = [plan for plan in plans if plan.selection is Selection.ON_DEMAND]
    if not on_demand:
        return
    first = on_demand[0]
    if len(on_demand) == 1 and first.name in called:
        message = f'pipeline "{first.name}" runs on its own only on demand, since another pipeline runs it'
        hint = f"set PIPEGEN_PIPELINE={first.name} to run it alone"
    elif len(on_demand) == 1:
        message = f'pipeline "{first.name}" runs only on demand, since it {_effect(first.jobs)}'
        hint = f"set PIPEGEN_PIPELINE={first.name} to run it; separate several names with commas, or use all"
    else:
        names = listed([plan.name for plan in on_demand])
        reason = (
            "publish, deploy or run in others"
            if any(plan.name in called for plan in on_demand)
            else "publish or deploy"
        )
        message = f"{len(on_demand)} of {len(plans)} pipelines run only on demand, since they {reason}: {names}"
        hint = "set PIPEGEN_PIPELINE to the names to run, separated by commas, or to all"
    report.add(
        codes.ON_DEMAND_PIPELINE,
        message,
        at=first.span,
        related=[Label(plan.span) for plan in on_demand[1:_SHOWN]],
        hint=hint,
    )


def report_unselectable(plans: Sequence[Plan], report: Report) -> None:
    """Report pipelines of a file with several that PIPEGEN_PIPELINE cannot name: it separates names with commas."""
    for plan in plans if len(plans) > 1 else ():
        if plan.name == "all":
            message = 'pipeline "all" cannot run alone: PIPEGEN_PIPELINE=all selects all pipelines'
        elif "," in plan.name or plan.name != plan.name.strip():
            message = (
                f'PIPEGEN_PIPELINE cannot select pipeline "{plan.name}": commas separate its names, without blanks'
            )
        else:
            continue
        report.add(codes.UNSELECTABLE_PIPELINE, message, at=plan.span, hint="rename the pipeline")


# The most labels of a diagnostic.
_SHOWN = 4


def _effect(jobs: Sequence[Job]) -> str | None:
    return next((_EFFECTS[type(step)] for job in jobs for step in job.steps if type(step) in _EFFECTS), None)
