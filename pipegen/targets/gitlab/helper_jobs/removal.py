"""The removal of what outlives its stage because others use it."""

from __future__ import annotations

from pipegen.plan.model import Plan
from pipegen.shell.host import Images, ShellEnvironment
from pipegen.shell.images import is_image_retained
from pipegen.shell.teardown import teardown
from pipegen.structs import Struct
from pipegen.targets.gitlab.jobs.scripts import entries
from pipegen.targets.gitlab.model import ImageKeys, ScriptEntry
from pipegen.targets.gitlab.settings import GitLabSettings


class Removal(Struct):
    """What removes *things* at the end of a pipeline."""

    things: str
    image: ImageKeys | None
    script: tuple[ScriptEntry, ...]


def removal(plan: Plan, host: ShellEnvironment, settings: GitLabSettings) -> Removal | None:
    """Return what removes all that *plan* keeps, None where it keeps nothing.

    Images in a registry stay: GitLab's own cleanup policy removes them, a job's token may not.
    """
    commands = teardown(plan.jobs, host)
    if not commands:
        return None
    is_local = settings.images is Images.LOCAL
    things = {
        "containers": is_local and any(job.shared.container for job in plan.jobs),
        "images": is_local and any(is_image_retained(job, host) for job in plan.jobs),
        "releases": any(job.shared.release for job in plan.jobs),
    }
    return Removal(
        things=" and ".join(thing for thing, is_kept in things.items() if is_kept),
        # Without a shell runner's containers and images, only releases are left.
        image=None if is_local else ImageKeys(settings.tools.helm, has_entrypoint=True),
        script=entries(commands),
    )
