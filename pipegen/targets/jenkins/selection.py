"""Which pipelines of a file run."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.plan.model import Plan, Selection
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.conditions import question
from pipegen.targets.jenkins.setup import parameter
from pipegen.targets.jenkins.work import Work

_PARAMETER = "PIPEGEN_PIPELINE"


def lower_selection(work: Work) -> model.Selection | None:
    """Return the pipelines of the file, None when that is not asked at run time."""
    if not work.is_conditional:
        return None
    on_demand = tuple(plan.name for plan in work.plans if plan.selection is Selection.ON_DEMAND)
    conditions = tuple((plan.name, question(plan.condition)) for plan in work.plans if plan.condition is not None)
    return model.Selection(tuple(plan.name for plan in work.plans), on_demand, conditions)


def lower_parameters(work: Work, used: Sequence[str]) -> tuple[model.Parameter, ...]:
    """Return the parameters of the build; declaring one drops all that are not declared, so those that are read are."""
    if not work.is_conditional:
        return ()
    usual = ", ".join(_usual(plan) for plan in work.plans if plan.selection is Selection.ALWAYS)
    asked = model.Parameter(
        _PARAMETER,
        f"Pipelines to run, separated by commas: {', '.join(plan.name for plan in work.plans)}, or all; "
        f"empty runs {usual or 'none'}.",
    )
    read = dict.fromkeys(name for name in map(parameter, used) if name is not None and name != _PARAMETER)
    return (asked, *(model.Parameter(name, f"Read as setup.params.{name}.") for name in read))


def _usual(plan: Plan) -> str:
    return plan.name if plan.condition is None else f"{plan.name} (on its condition)"
