"""The end of a build: what its stages shared is removed, whatever happened."""

from __future__ import annotations

from pipegen.plan.model import Workspace
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.named_jobs import PlanScripts, ScriptedPlans
from pipegen.targets.jenkins.stages.steps import script_steps


def isolated_teardown(work: ScriptedPlans) -> model.Teardown | None:
    """Return the removal for the pipelines whose stages have workspaces of their own: on the agent that they share."""
    leaving = [one for one in work.with_workspace(Workspace.ISOLATED) if one.teardown]
    if not leaving:
        return None
    plans = {one.plan.name for one in leaving}
    is_pinned = any(one.is_pinned for one in work.named if one.plan.name in plans)
    return model.Teardown(
        agent=model.Agent(work.settings.agent, is_pinned),
        selected=work.selected(*(one.plan.name for one in leaving)),
        sh=script_steps(tuple(command for one in leaving for command in one.teardown)),
    )


def shared_teardown(scripts: PlanScripts) -> model.Teardown | None:
    """Return the removal for a pipeline whose stages share a workspace: where that is."""
    if not scripts.teardown:
        return None
    return model.Teardown(agent=None, selected=model.Selected(), sh=script_steps(scripts.teardown))
