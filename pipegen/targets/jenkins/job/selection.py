"""Selection of the pipelines of a file that run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Selection
from pipegen.plan.model.plans import default_pipelines
from pipegen.source.tree import Mapping
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.job.properties import with_spans
from pipegen.targets.jenkins.named_jobs import ScriptedPlans
from pipegen.targets.jenkins.size.files import parts
from pipegen.targets.jenkins.size.weights import weigh_groovy
from pipegen.targets.jenkins.stages.guards.conditions import ConditionWriter
from pipegen.targets.jenkins.stages.scripts.inputs import input_parameters
from pipegen.targets.jenkins.stages.scripts.setup import parameter

_NAME = re.compile(r"\bname: *['\"]([\w.-]+)")
_PARAMETER = "PIPEGEN_PIPELINE"


def lower_selection(work: ScriptedPlans) -> model.SelectionParameter | None:
    """Return the pipelines of the file, None if all run in each build."""
    if not work.is_conditional:
        return None
    on_demand = tuple(plan.name for plan in work.plans if plan.selection is Selection.ON_DEMAND)
    expressions = ((plan.name, ConditionWriter(plan.inputs).of(plan.condition)) for plan in work.plans)
    conditions = parts(((name, condition) for name, condition in expressions if condition), _weigh)
    return model.SelectionParameter(tuple(plan.name for plan in work.plans), on_demand, tuple(conditions))


def _weigh(condition: tuple[str, str]) -> int:
    # The condition, and the test of the pipeline's name around it.
    return 10 + weigh_groovy(condition[1])


def lower_parameters(
    work: ScriptedPlans, used: Sequence[str], node: Mapping | None, report: Report
) -> tuple[model.Parameter, ...]:
    """Return the parameters of the build; it drops undeclared parameters, so all parameters in use are declared.

    *node* contains the settings of the job; a parameter there with the name of another one is reported.
    """
    declared = (*_selection_parameter(work), *input_parameters(work.plans))
    for text, span in with_spans("parameters", work.settings.parameters, node):
        match = _NAME.search(text)
        name = match[1] if match else ""
        if name in {parameter_.name for parameter_ in declared}:
            report.add(
                codes.OPTION_TWICE,
                f'the parameter "{name}" is declared twice, and Jenkins uses only one of them',
                at=span,
                hint='remove one of them; "inputs" of the config are parameters, too',
            )
        declared = (*declared, model.Parameter(name, "", text=text))
    if not declared:
        return ()
    names = {parameter_.name for parameter_ in declared}
    read = dict.fromkeys(name for name in map(parameter, used) if name is not None and name not in names)
    return (*declared, *(model.Parameter(name, f"Read as setup.params.{name}.") for name in read))


def _selection_parameter(work: ScriptedPlans) -> Iterator[model.Parameter]:
    """Yield the parameter that names the pipelines to run, if each build decides that for several."""
    if not work.is_conditional or len(work.plans) == 1:
        return
    yield model.Parameter(
        _PARAMETER,
        f"Pipelines to run, separated by commas: {', '.join(plan.name for plan in work.plans)}, or all; "
        f"empty runs {default_pipelines(work.plans)}.",
    )
