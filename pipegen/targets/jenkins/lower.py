"""Plans to a Jenkinsfile: all that is decided about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pipegen.diagnostics.report import Report
from pipegen.plan.model import Plan, Workspace
from pipegen.shell.script import Command, Script
from pipegen.targets.base import Request
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.checkouts import lower_checkouts
from pipegen.targets.jenkins.functions import helpers
from pipegen.targets.jenkins.layout import Layout, lay_out
from pipegen.targets.jenkins.names import NamedJob, display_names
from pipegen.targets.jenkins.pins import pins
from pipegen.targets.jenkins.preludes import Preludes
from pipegen.targets.jenkins.settings import Settings
from pipegen.targets.jenkins.stages import lower_stages
from pipegen.targets.jenkins.stashes import Stashes
from pipegen.targets.jenkins.steps import Shared, script_steps
from pipegen.targets.jenkins.variables import (
    checkout_variables,
    parameters,
    selection,
    start_variables,
    used_setup,
)

_PARAMETER = "PIPEGEN_PIPELINE"


@dataclass(frozen=True, slots=True)
class Scripts:
    """A plan with the script of each stage, and the commands that remove what its stages share."""

    plan: Plan
    scripts: Mapping[str, Script]
    teardown: tuple[Command, ...]


def lower(scripts: Sequence[Scripts], request: Request, settings: Settings, report: Report) -> model.Jenkinsfile:
    """Return the Jenkinsfile of some plans; *report* gets what it cannot say."""
    plans = [one.plan for one in scripts]
    is_conditional = len(plans) > 1 and not request.chosen
    named = _named(scripts)
    used = used_setup(named)
    checkouts = lower_checkouts(plans, checkout_variables(used))
    preludes = Preludes([one.script for one in named])
    shared = Shared(settings, preludes, Stashes(named), checkouts.names)
    layout = Layout(scripts, settings, shared, is_conditional=is_conditional)
    laid_out = lay_out(
        layout, lambda style: lower_stages(named, shared, style, report), request.options.get("style", "auto"), report
    )
    file = model.Jenkinsfile(
        notes=(*laid_out.notes, *_plugins(laid_out.stages.stages)),
        parameters=_parameters(plans, used) if is_conditional else (),
        selection=selection(plans) if is_conditional else None,
        variables=start_variables(named, used),
        pin=_pin(plans, settings, is_conditional=is_conditional),
        body=laid_out.body,
        stages=laid_out.stages.stages,
        preludes=tuple(
            model.Prelude(function=one.function, comment=one.comment, sh=script_steps(one.commands))
            for one in preludes.named()
        ),
        recipients=laid_out.stages.recipients,
        checkouts=checkouts.functions,
        helpers=(),
    )
    return helpers(file)


def _named(scripts: Sequence[Scripts]) -> tuple[NamedJob, ...]:
    shown = display_names([one.plan for one in scripts])
    return tuple(
        NamedJob(shown[one.plan.name, job.stage], one.plan, job, one.scripts[job.stage])
        for one in scripts
        for job in one.plan.jobs
    )


def _pin(plans: Sequence[Plan], settings: Settings, *, is_conditional: bool) -> model.Pin | None:
    pinning = tuple(plan.name for plan in plans if pins(plan, settings))
    if not pinning:
        return None
    # When every pipeline shares, asking which of them run would only repeat the question.
    return model.Pin(settings.agent, model.Selected(pinning if is_conditional else ()))


def _parameters(plans: Sequence[Plan], used: Sequence[str]) -> tuple[model.Parameter, ...]:
    """Return the parameters of the build: declaring one drops all that are not declared, so those read are, too."""
    named = ", ".join(plan.name for plan in plans)
    asked = model.Parameter(
        _PARAMETER,
        f"Pipelines to run, with commas between: {named}; or all. "
        "When this is empty, those run that need not be asked for.",
    )
    others = (name for name in parameters(used) if name != _PARAMETER)
    return (asked, *(model.Parameter(name, f"Read as setup.params.{name}.") for name in others))


def _plugins(stages: Sequence[model.Stage]) -> tuple[str, ...]:
    return ("Needs the plugin mailer.",) if any(stage.on_failure for stage in stages) else ()


def shared_plans(plans: Sequence[Plan]) -> tuple[Plan, ...]:
    """Return the plans whose stages all run in one workspace."""
    return tuple(plan for plan in plans if plan.workspace is Workspace.SHARED)
