"""Which stages run on one agent, because they share images or containers."""

from __future__ import annotations

from pipegen.plan.model import Job, Plan, Workspace
from pipegen.shell.host import Images
from pipegen.targets.jenkins.settings import Settings

_DAEMON_NAMES = frozenset({"imageID", "imageLocalName", "container"})


def pinned(plan: Plan, settings: Settings) -> frozenset[str]:
    """Return the stages of *plan* that need the container engine of others, or whose own others need."""
    if settings.images is not Images.LOCAL or plan.workspace is Workspace.SHARED:
        return frozenset()
    sharing = {job.stage for job in plan.jobs if job.shared.needs_daemon}
    if not sharing:
        return frozenset()
    return frozenset(job.stage for job in plan.jobs if job.stage in sharing or not sharing.isdisjoint(_producers(job)))


def _producers(job: Job) -> set[str]:
    """Return the stages whose images or containers *job* uses."""
    return {*[output.stage for output in job.inputs if output.name in _DAEMON_NAMES], *job.containers}
