"""Pipelines of other projects, started after a stage: by GitLab itself, or by a call where values are computed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from urllib import parse

from pipegen.bindings.expression import Part, Reference, Scope, Text
from pipegen.diagnostics.codes import INVALID_TRIGGER_VARIABLE, PARAMETER_IN_RULES, TRIGGER_WITHOUT_PROJECT
from pipegen.diagnostics.report import Report
from pipegen.plan import model as plan
from pipegen.shell.quote import quote
from pipegen.structs import Struct
from pipegen.targets.gitlab.jobs.shell_variables import pipeline_variable
from pipegen.targets.gitlab.model import RuleEntry, ScriptEntry, TriggerKeys, VariableEntry
from pipegen.targets.gitlab.pairs import AWAITED_VALUES
from pipegen.targets.gitlab.settings import TriggeredProject

_VARIABLE = r"[A-Za-z_][A-Za-z0-9_]*"
# What GitLab expands in values, `%NAME%` too.
_EXPANDED = r"[$%]"
_NAME = re.compile(r"\$(\w+)", re.ASCII)


class Bridge(Struct, kw_only=True):
    """A pipeline that GitLab starts by itself, with values it can expand."""

    name: str
    trigger: TriggerKeys
    variables: tuple[VariableEntry, ...]
    allow_failure: bool


class TriggerScript(Struct, kw_only=True):
    """A pipeline that a job of its own starts, with values that the stage has computed."""

    name: str
    script: tuple[ScriptEntry, ...]


def lower_trigger(
    job: plan.Job, projects: Mapping[str, TriggeredProject], report: Report
) -> Bridge | TriggerScript | None:
    """Return how the trigger of *job* is started, None where it has none or no project is known for it."""
    step = next((step for step in job.steps if isinstance(step, plan.TriggerJob)), None)
    if step is None:
        return None
    project = projects.get(step.name.value)
    if project is None:
        _report_unknown(step, report)
        return None
    _check_variables(step, report)
    variables = [_variable(name, value) for name, value in step.parameters]
    if None in variables:
        return _call(job, step, project, report)
    return Bridge(
        name=step.name.value,
        trigger=TriggerKeys(project.project, project.branch, is_awaited=step.wait),
        variables=tuple(variable for variable in variables if variable is not None),
        # A pipeline that cannot be started is let go as well: GitLab does not tell the two apart.
        allow_failure=step.wait and not step.propagate,
    )


def check_parameters(job: plan.Job, rules: Sequence[RuleEntry], report: Report) -> None:
    """Report parameters of the trigger of *job* that its own *rules* read: variables of a job go before the run's."""
    read = {name for rule in rules for name in _NAME.findall(rule.condition)}
    step = next(step for step in job.steps if isinstance(step, plan.TriggerJob))
    for name, value in step.parameters:
        if name in read:
            report.add(
                PARAMETER_IN_RULES,
                f'GitLab decides by the parameter "{name}" whether stage "{job.title}" runs, and not by the variable '
                "of that name that the run has",
                at=value.span,
                hint=f'compile each pipeline into its own file, with "--pipeline {job.pipeline}"'
                if name == "PIPEGEN_PIPELINE"
                else "rename the input, or the parameter in the other project",
            )


def is_called(job: plan.Job, projects: Mapping[str, TriggeredProject]) -> bool:
    """Return whether *job* leaves values for the call that starts its trigger."""
    if not projects:
        return False
    steps = [step for step in job.steps if isinstance(step, plan.TriggerJob) and step.name.value in projects]
    return any(_variable(name, value) is None for step in steps[:1] for name, value in step.parameters)


def _variable(name: str, value: Text) -> VariableEntry | None:
    """Return a variable that GitLab passes on, None where only a shell can work out its *value*."""
    constant = value.constant
    if constant is not None:
        return VariableEntry(name, constant, is_raw=re.search(_EXPANDED, constant) is not None)
    parts = [_expandable(part) for part in value.parts]
    return None if None in parts else VariableEntry(name, "".join(part for part in parts if part is not None))


def _expandable(part: Part) -> str | None:
    """Return *part* as text that GitLab expands to it."""
    match part:
        case str() if not re.search(_EXPANDED, part):
            return part
        case Reference(scope=Scope.SETUP, default=None) if found := pipeline_variable(part.name):
            return _NAME.sub(r"${\1}", found)
    return None


def _call(job: plan.Job, step: plan.TriggerJob, project: TriggeredProject, report: Report) -> TriggerScript:
    """Return the call that starts a pipeline of *project* with the values of *step*."""
    if step.wait:
        report.add(
            AWAITED_VALUES.code,
            f'GitLab does not wait for trigger "{step.name.value}": its values are computed when the pipeline runs',
            at=step.name.span,
            hint='say "wait: false", or pass only constants and such values of setup as ${setup.commit}',
        )
    address = f"$CI_API_V4_URL/projects/{parse.quote(project.project, safe='')}/trigger/pipeline"
    # For want of a way to ask for it, the other project's default branch is taken to be called as this one's.
    forms = ['--form-string "token=$CI_JOB_TOKEN"', f'--form-string "ref={project.branch or "$CI_DEFAULT_BRANCH"}"']
    for number, (name, value) in enumerate(step.parameters):
        constant = value.constant
        if constant is None:
            forms.append(f'--form "variables[{name}]=<.pipegen/trigger/{job.slug}/{number}"')
        else:
            forms.append(f"--form-string {quote(f'variables[{name}]={constant}')}")
    lines = (
        f"# a pipeline of {project.project}, with the values that the stage has worked out",
        "curl --silent --show-error --fail-with-body --request POST \\",
        *(f"  {form} \\" for form in forms),
        f'  "{address}"',
    )
    text = "".join(f"{line}\n" for line in lines)
    return TriggerScript(name=step.name.value, script=(ScriptEntry(text),))


def _check_variables(step: plan.TriggerJob, report: Report) -> None:
    for name, value in step.parameters:
        if not re.fullmatch(_VARIABLE, name):
            report.add(
                INVALID_TRIGGER_VARIABLE,
                f'GitLab passes no variable named "{name}" to a triggered pipeline',
                at=value.span,
                hint='use letters, digits and "_", and begin with no digit',
            )


def _report_unknown(step: plan.TriggerJob, report: Report) -> None:
    name = step.name.value
    report.add(
        TRIGGER_WITHOUT_PROJECT,
        f'trigger "{name}" is left out: GitLab does not know which project it starts',
        at=step.name.span,
        hint=f"add to the file: targets: {{ gitlab: {{ projects: {{ {name}: group/project }} }} }}",
    )
