"""Which stages run on one agent, because they share images or containers."""

from __future__ import annotations

from pipegen.plan.model import Job, Plan, Workspace
from pipegen.shell.host import Images
from pipegen.targets.jenkins.settings import Settings

_DAEMON_NAMES = frozenset({"imageID", "imageLocalName", "container"})


def is_pinned(job: Job, plan: Plan, settings: Settings) -> bool:
    """Return whether *job* needs the container engine of other jobs, or they need its own."""
    if settings.images is not Images.LOCAL or plan.workspace is Workspace.SHARED:
        return False
    if job.shared.needs_daemon:
        return True
    producers = {output.stage for output in job.inputs if output.name in _DAEMON_NAMES} | set(job.containers)
    return any(plan.job(producer).shared.needs_daemon for producer in producers)


def pins(plan: Plan, settings: Settings) -> bool:
    """Return whether some stages of *plan* run on one agent."""
    return any(is_pinned(job, plan, settings) for job in plan.jobs)
