"""Triggers of other projects' pipelines after a stage: by GitLab itself, or by an API call with computed values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from urllib import parse

from pipegen.bindings.expression import Part, Reference, Scope, Text
from pipegen.diagnostics.codes import (
    CHILD_PIPELINE,
    INVALID_TRIGGER_VARIABLE,
    PARAMETER_IN_RULES,
    TRIGGER_WITHOUT_PROJECT,
)
from pipegen.diagnostics.report import Report
from pipegen.plan import model as plan
from pipegen.plan.model.steps import is_variable_name
from pipegen.shell.quote import quote
from pipegen.structs import Struct
from pipegen.targets.gitlab.jobs.values.expanded_texts import without_needless_braces
from pipegen.targets.gitlab.jobs.values.shell_variables import pipeline_variable
from pipegen.targets.gitlab.model import RuleEntry, ScriptEntry, TriggerKeys, VariableEntry
from pipegen.targets.gitlab.pairs import AWAITED_VALUES
from pipegen.targets.gitlab.settings import TriggeredProject

# The start of an expansion in a value, also `%NAME%`.
_EXPANDED = r"[$%]"
_NAME = re.compile(r"\$(\w+)", re.ASCII)


class Bridge(Struct, kw_only=True):
    """A trigger that GitLab starts itself, with values that it can expand, or a child pipeline of *files*."""

    name: str
    trigger: TriggerKeys
    files: tuple[plan.PipelineFile, ...]
    variables: tuple[VariableEntry, ...]
    allow_failure: bool


class TriggerScript(Struct, kw_only=True):
    """A trigger that a separate job starts, with values that the stage has computed."""

    name: str
    script: tuple[ScriptEntry, ...]


def lower_trigger(
    job: plan.Job, projects: Mapping[str, TriggeredProject], report: Report
) -> Bridge | TriggerScript | None:
    """Return the trigger of *job*, None if it has none or its project is unknown."""
    step = next((step for step in job.steps if isinstance(step, plan.TriggerJob)), None)
    if step is None:
        return None
    project = TriggeredProject(project="") if step.include else projects.get(step.name.value)
    if project is None:
        _report_unknown(step, report)
        return None
    _check_variables(step, report)
    variables = _variables(step)
    if variables is None and not step.include:
        return _call(job, step, project, report)
    if variables is None:
        _report_computed(step, report)
    trigger = TriggerKeys(project.project, project.branch, step.wait, forwards=step.forward)
    return Bridge(
        name=step.name.value,
        trigger=trigger,
        files=step.include,
        variables=variables or (),
        # A pipeline that cannot be started is allowed as well: GitLab does not distinguish the two.
        allow_failure=step.wait and not step.propagate,
    )


def check_parameters(job: plan.Job, rules: Sequence[RuleEntry], report: Report) -> None:
    """Report trigger parameters of *job* that its own *rules* read: job variables override those of the run."""
    rule_variables = {name for rule in rules for name in _NAME.findall(rule.condition)}
    step = next(step for step in job.steps if isinstance(step, plan.TriggerJob))
    for name, value in step.parameters:
        if name in rule_variables:
            report.add(
                PARAMETER_IN_RULES,
                f'the rules of stage "{job.title}" read the parameter "{name}" of its trigger, not the variable '
                f'"{name}" of the run',
                at=value.span,
                hint=f'compile each pipeline into its own file, with "--pipeline {job.pipeline}"'
                if name == "PIPEGEN_PIPELINE"
                else "rename the input, or the parameter in the other project",
            )


def is_called(job: plan.Job, projects: Mapping[str, TriggeredProject]) -> bool:
    """Return whether *job* stores values for the call that starts its trigger."""
    if not projects:
        return False
    steps = [
        step
        for step in job.steps
        if isinstance(step, plan.TriggerJob) and step.name.value in projects and not step.include
    ]
    return any(_variables(step) is None for step in steps[:1])


def _variables(step: plan.TriggerJob) -> tuple[VariableEntry, ...] | None:
    """Return the variables that GitLab passes on for the parameters of *step*, None if a shell has to compute them.

    No value may refer to a parameter: it would get the parameter instead of the variable of that name, and GitLab
    rejects variables that refer to each other
    (https://docs.gitlab.com/ci/variables/#cicd-variable-precedence: job variables override predefined variables).
    """
    variables = [_variable(name, value) for name, value in step.parameters]
    if None in variables or _shadowed(step):
        return None
    return tuple(variable for variable in variables if variable is not None)


def _shadowed(step: plan.TriggerJob) -> str | None:
    """Return the first parameter of *step* with the name of a variable that a value of *step* refers to."""
    references = (part for _, value in step.parameters for part in value.parts if isinstance(part, Reference))
    texts = (pipeline_variable(part.name) for part in references if part.scope is Scope.SETUP)
    read = {name for text in texts if text is not None for name in _NAME.findall(text)}
    return next((name for name, _ in step.parameters if name in read), None)


def _variable(name: str, value: Text) -> VariableEntry | None:
    """Return a variable that GitLab passes on, None if only a shell can compute its *value*."""
    constant = value.constant
    if constant is not None:
        return VariableEntry(name, constant, is_raw=re.search(_EXPANDED, constant) is not None)
    parts = [_expandable(part) for part in value.parts]
    return None if None in parts else VariableEntry(name, without_needless_braces("".join(map(str, parts))))


def _expandable(part: Part) -> str | None:
    """Return *part* in GitLab's syntax, None if GitLab cannot expand it."""
    match part:
        case str() if not re.search(_EXPANDED, part):
            return part
        case Reference(scope=Scope.SETUP, default=None) if variable := pipeline_variable(part.name):
            return _NAME.sub(r"${\1}", variable)
    return None


def _call(job: plan.Job, step: plan.TriggerJob, project: TriggeredProject, report: Report) -> TriggerScript:
    """Return the API call that starts a pipeline of *project* with the values of *step*."""
    if step.wait:
        _report_not_awaited(step, report)
    if step.forward:
        report.add(
            INVALID_TRIGGER_VARIABLE,
            f'GitLab cannot forward the variables of the run to "{step.name.value}", which a call of its API starts',
            at=step.name.span,
            hint='remove "forward", or pass only constants and values of setup such as ${setup.commit}',
        )
    address = f"$CI_API_V4_URL/projects/{parse.quote(project.project, safe='')}/trigger/pipeline"
    # The default branch of the other project is unknown: assume that it has the same name as this project's.
    forms = ['--form-string "token=$CI_JOB_TOKEN"', f'--form-string "ref={project.branch or "$CI_DEFAULT_BRANCH"}"']
    for number, (name, value) in enumerate(step.parameters):
        constant = value.constant
        if constant is None:
            forms.append(f'--form "variables[{name}]=<.pipegen/trigger/{job.slug}/{number}"')
        else:
            forms.append(f"--form-string {quote(f'variables[{name}]={constant}')}")
    lines = (
        f"# a pipeline of {project.project}, with the values that the stage has computed",
        "curl --silent --show-error --fail-with-body --request POST \\",
        *(f"  {form} \\" for form in forms),
        f'  "{address}"',
    )
    text = "".join(f"{line}\n" for line in lines)
    return TriggerScript(name=step.name.value, script=(ScriptEntry(text),))


def _report_not_awaited(step: plan.TriggerJob, report: Report) -> None:
    """Report that GitLab does not wait for the trigger of *step*, and why."""
    hidden = _shadowed(step)
    reason, hint = "its values are computed when the pipeline runs", "pass only constants and such values of setup as "
    if hidden is not None:
        reason = f'the parameter "{hidden}" has the name of a variable that a parameter reads'
    report.add(
        AWAITED_VALUES.code,
        f'GitLab does not wait for trigger "{step.name.value}": {reason}',
        at=step.name.span,
        hint='say "wait: false", or '
        + ("rename the parameter in the other project" if hidden is not None else f"{hint}${{setup.commit}}"),
    )


def _report_computed(step: plan.TriggerJob, report: Report) -> None:
    """Report values of the child pipeline of *step* that only a shell can compute."""
    value = next(value for name, value in step.parameters if _variable(name, value) is None or _shadowed(step))
    report.add(
        CHILD_PIPELINE,
        "GitLab starts a child pipeline itself, with values that are known from the start",
        at=value.span,
        hint="pass only constants and values of setup such as ${setup.commit}; a job of the child pipeline can read "
        'artifacts of this pipeline: "needs: [{pipeline: $PARENT_PIPELINE_ID, job: …}]"',
    )


def _check_variables(step: plan.TriggerJob, report: Report) -> None:
    for name, value in step.parameters:
        if not is_variable_name(name):
            report.add(
                INVALID_TRIGGER_VARIABLE,
                f'GitLab cannot pass a variable named "{name}" to a triggered pipeline',
                at=value.span,
                hint='use letters, digits and "_", and do not start with a digit',
            )


def _report_unknown(step: plan.TriggerJob, report: Report) -> None:
    name = step.name.value
    report.add(
        TRIGGER_WITHOUT_PROJECT,
        f'trigger "{name}" is left out: targets.gitlab.projects does not name its project',
        at=step.name.span,
        hint=f"add to the file: targets: {{ gitlab: {{ projects: {{ {name}: group/project }} }} }}",
    )
