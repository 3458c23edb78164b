"""Variables of the file that are inputs of a config."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.emit.yaml import Value
from pipegen.importing.accounting import Accounting, KeyOutcome
from pipegen.importing.gitlab.reading.expressions.formulas import (
    tested_names,
    tests_in,
)
from pipegen.importing.gitlab.reading.jobs import SourcePipeline
from pipegen.importing.gitlab.reading.rules import formulas_of
from pipegen.importing.gitlab.reading.tree import flat_items, text_of, texts_of
from pipegen.importing.gitlab.reading.variables import Variable
from pipegen.importing.gitlab.stages.keys.base import present
from pipegen.importing.gitlab.workflow_variables import set_by_workflow
from pipegen.plan.model import Plan
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.targets.gitlab.rules.inputs import refused_values

# Names that engines, shells or the runner use: no inputs.
_RESERVED = ("CI_", "GIT_", "GITLAB_", "DOCKER_", "KUBERNETES_", "FF_", "RUNNER_", "PIPEGEN_", "PATH", "HOME")
# Keys of variables that GitLab shows in its form for new pipelines.
_OF_FORM = ("description", "options")


def inputs_of(source: SourcePipeline, refused: Collection[str]) -> dict[str, Variable]:
    """Return the variables of the file that are inputs: with a description or options, or tested or set by rules.

    A config does not accept the names *refused*, and compares no input with a variable.
    """
    tests = [test for formula in formulas_of(source) for test in tests_in(formula)]
    tested = {name for test in tests for name in tested_names(test)}
    for test in tests:
        if len(names := tested_names(test)) > 1:
            tested.difference_update(names)
    replaced = set_by_workflow(source)
    return {
        name: variable
        for name, variable in source.variables.items()
        if not name.startswith(_RESERVED)
        and name not in refused
        and ("$" not in variable.text or (_is_in_form(variable) and not variable.is_expanded))
        and "\n" not in variable.text
        and (_is_in_form(variable) or name in tested or name in replaced)
    }


def _is_in_form(variable: Variable) -> bool:
    """Return whether GitLab shows *variable* in its form for new pipelines."""
    return not present(variable.entry.value).keys().isdisjoint(_OF_FORM)


def report_variables_of_form(
    source: SourcePipeline, inputs: Collection[str], accounting: Accounting, report: Report
) -> None:
    """Report the variables in the form for new pipelines that are not *inputs*."""
    for name, variable in source.variables.items():
        if name in inputs or not _is_in_form(variable):
            continue
        for key, entry in present(variable.entry.value).items():
            if key in _OF_FORM:
                accounting.mark(entry, KeyOutcome.REPORTED)
        report.add(
            codes.NOT_IMPORTED,
            f'variable "{name}" is not in the form for new pipelines, because it cannot be an input',
            at=variable.entry.key.span,
            hint="an input has a value on one line without other variables, and a name that no engine uses",
        )


def report_refused_values(source: SourcePipeline, plans: Sequence[Plan], report: Report) -> None:
    """Report the inputs of *plans* with values that start no run of the config, and one of *source*.

    A name contains them, such as that of an image. GitLab compares values with options only in its form.
    """
    workflow = source.workflow.value if source.workflow is not None else None
    rules = flat_items(workflow.get("rules")) if isinstance(workflow, TreeMapping) else ()
    known = {text_of(rule.get("if")) for rule in rules if isinstance(rule, TreeMapping)}
    for name, condition in refused_values(plans).items():
        variable = source.variables.get(name)
        if variable is None or condition in known:
            continue
        input_ = as_input(variable)
        has_choices = isinstance(input_, dict) and "choices" in input_
        values = "other than its options" if has_choices else 'with "$", "%" or other characters than ASCII'
        report.add(
            codes.NOT_IMPORTED,
            f'values of "{name}" {values} start no run of the config, because a name contains them',
            at=variable.entry.key.span,
            hint="check the values that people, programs and the project set",
        )


def as_input(variable: Variable) -> Value:
    """Return the value of an input: its default, or a map."""
    keys = present(variable.entry.value)
    value: dict[str, Value] = {}
    if "description" in keys:
        value["description"] = " ".join(text_of(keys["description"].value).split())
    options = list(texts_of(keys["options"].value)) if "options" in keys else []
    if options and variable.text in options:
        value["choices"] = list(options)
    value["default"] = variable.text
    return value if len(value) > 1 else variable.text
