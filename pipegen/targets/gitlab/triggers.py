"""Pipelines of other projects, started after a stage: by GitLab itself, or by a call where values are computed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

from pipegen.bindings.expression import Bare, Reference, Scope, Text
from pipegen.diagnostics.codes import INVALID_TRIGGER_VARIABLE, TRIGGER_NOT_AWAITED, TRIGGER_WITHOUT_PROJECT
from pipegen.diagnostics.report import Report
from pipegen.plan import model as plan
from pipegen.shell.quote import word
from pipegen.targets.gitlab.host import pipeline_variable
from pipegen.targets.gitlab.model import Entry, Trigger, Variable
from pipegen.targets.gitlab.settings import Project

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, kw_only=True, slots=True)
class Bridge:
    """A pipeline that GitLab starts by itself, with values it can expand."""

    trigger: Trigger
    variables: tuple[Variable, ...]
    allow_failure: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """A pipeline that a job of its own starts, with values that the stage has computed."""

    script: tuple[Entry, ...]
    allow_failure: bool


def lower_trigger(job: plan.Job, projects: Mapping[str, Project], report: Report) -> Bridge | Call | None:
    """Return how the trigger of *job* is started, None where it has none or no project is known for it."""
    step = next((step for step in job.steps if isinstance(step, plan.Trigger)), None)
    if step is None:
        return None
    project = projects.get(step.name.value)
    if project is None:
        _report_unknown(step, report)
        return None
    _check_variables(step, report)
    values = [_expanded(value) for _, value in step.parameters]
    if None in values:
        return _call(job, step, project, report)
    names = [name for name, _ in step.parameters]
    return Bridge(
        trigger=Trigger(project.project, project.branch, is_awaited=step.wait),
        variables=tuple(Variable(name, value) for name, value in zip(names, values, strict=True) if value is not None),
        allow_failure=not step.propagate,
    )


def _expanded(value: Text) -> str | None:
    """Return *value* as text that GitLab expands, None where only a shell can."""
    parts = []
    for part in value.parts:
        match part:
            case str():
                parts.append(part.replace("$", "$$"))
            case Bare():
                parts.append(part.source.replace("$", "$$"))
            case Reference(scope=Scope.SETUP, default=None) if found := pipeline_variable(part.name):
                parts.append(found.replace("$", "${", 1).replace(".git", "}.git") if False else found)
            case _:
                return None
    return "".join(parts)
