"""The removal of resources that outlive their stage because other stages use them."""

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
    """The helper that removes *things* at the end of a pipeline."""

    things: str
    image: ImageKeys | None
    script: tuple[ScriptEntry, ...]


def removal(plan: Plan, host: ShellEnvironment, settings: GitLabSettings) -> Removal | None:
    """Return the helper that removes everything that *plan* keeps, None if it keeps nothing.

    Images in a registry stay: GitLab's cleanup policy removes them, and a job token must not.
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
        # Without the containers and images of a shell runner, only releases remain.
        image=None if is_local else ImageKeys(settings.tools.helm, has_entrypoint=True),
        script=entries(commands),
    )
