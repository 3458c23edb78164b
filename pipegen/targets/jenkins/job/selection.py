"""Selection of the pipelines of a file that run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipegen.plan.model import Plan, Selection
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.named_jobs import ScriptedPlans
from pipegen.targets.jenkins.size.files import parts
from pipegen.targets.jenkins.size.weights import weigh_groovy
from pipegen.targets.jenkins.stages.guards.conditions import ConditionWriter
from pipegen.targets.jenkins.stages.scripts.inputs import input_parameters
from pipegen.targets.jenkins.stages.scripts.setup import parameter

_PARAMETER = "PIPEGEN_PIPELINE"


def lower_selection(work: ScriptedPlans) -> model.SelectionParameter | None:
    """Return the pipelines of the file, None if they are not selected at run time."""
    if not work.is_conditional:
        return None
    on_demand = tuple(plan.name for plan in work.plans if plan.selection is Selection.ON_DEMAND)
    expressions = ((plan.name, ConditionWriter(plan.inputs).of(plan.condition)) for plan in work.plans)
    conditions = parts(((name, condition) for name, condition in expressions if condition), _weigh)
    return model.SelectionParameter(tuple(plan.name for plan in work.plans), on_demand, tuple(conditions))


def _weigh(condition: tuple[str, str]) -> int:
    # The condition, and the test of the pipeline's name around it.
    return 10 + weigh_groovy(condition[1])


def lower_parameters(work: ScriptedPlans, used: Sequence[str]) -> tuple[model.Parameter, ...]:
    """Return the parameters of the build; it drops undeclared parameters, so all parameters in use are declared."""
    declared = (*_selection_parameter(work), *input_parameters(work.plans))
    if not declared:
        return ()
    names = {parameter_.name for parameter_ in declared}
    read = dict.fromkeys(name for name in map(parameter, used) if name is not None and name not in names)
    return (*declared, *(model.Parameter(name, f"Read as setup.params.{name}.") for name in read))


def _selection_parameter(work: ScriptedPlans) -> Iterator[model.Parameter]:
    """Yield the parameter that names the pipelines to run, if they are selected at run time."""
    if not work.is_conditional:
        return
    default = ", ".join(_default_name(plan) for plan in work.plans if plan.selection is Selection.ALWAYS)
    yield model.Parameter(
        _PARAMETER,
        f"Pipelines to run, separated by commas: {', '.join(plan.name for plan in work.plans)}, or all; "
        f"empty runs {default or 'none'}.",
    )


def _default_name(plan: Plan) -> str:
    return plan.name if plan.condition is None else f"{plan.name} (on its condition)"
