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
    """The helper that removes *resources* at the end of a pipeline."""

    resources: str
    image: ImageKeys | None
    script: tuple[ScriptEntry, ...]


def removal(plan: Plan, host: ShellEnvironment, settings: GitLabSettings) -> Removal | None:
    """Return the helper that removes the resources that stages of *plan* share, None if there are none.

    Images in a registry stay: GitLab's cleanup policy removes them, and a job token must not.
    """
    commands = teardown(plan.jobs, host)
    if not commands:
        return None
    is_local = settings.images is Images.LOCAL
    resources = {
        "containers": is_local and any(job.shared.container for job in plan.jobs),
        "images": is_local and any(is_image_retained(job, host) for job in plan.jobs),
        "releases": any(job.shared.release for job in plan.jobs),
    }
    return Removal(
        resources=" and ".join(name for name, is_present in resources.items() if is_present),
        # Without the containers and images of a shell runner, only releases remain.
        image=None if is_local else ImageKeys(settings.tools.helm, has_entrypoint=True),
        script=entries(commands),
    )
