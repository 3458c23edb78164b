"""The removal of shared resources at the end of a build, whatever happened."""

from __future__ import annotations

from pipegen.plan.model import Workspace
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.named_jobs import PlanScripts, ScriptedPlans
from pipegen.targets.jenkins.stages.steps import script_steps


def isolated_teardown(work: ScriptedPlans) -> model.Teardown | None:
    """Return the removal for pipelines with isolated workspaces, on the agent that their stages share."""
    with_teardown = [scripts for scripts in work.with_workspace(Workspace.ISOLATED) if scripts.teardown]
    if not with_teardown:
        return None
    plans = {scripts.plan.name for scripts in with_teardown}
    pinned = [named for named in work.named if named.is_pinned and named.plan.name in plans]
    return model.Teardown(
        agent=model.Agent(work.settings.agent, bool(pinned), may_be_unset=any(named.pins for named in pinned)),
        selected=work.selected(*(scripts.plan.name for scripts in with_teardown)),
        sh=script_steps(tuple(command for scripts in with_teardown for command in scripts.teardown)),
    )


def shared_teardown(scripts: PlanScripts) -> model.Teardown | None:
    """Return the removal for a pipeline with a shared workspace, in that workspace."""
    if not scripts.teardown:
        return None
    return model.Teardown(agent=None, selected=model.Selected(), sh=script_steps(scripts.teardown))
