"""Who jobs are to the registry that the settings name."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.diagnostics.codes import TOKEN_FOR_OTHER_REGISTRY
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Job, Plan, PublishImage
from pipegen.shell.host import Images
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Scalar
from pipegen.targets.gitlab.settings import GitLabSettings


def check_registry(
    plans: Sequence[Plan], section: TreeMapping | None, settings: GitLabSettings, report: Report
) -> None:
    """Report a registry without a credential that jobs log in to: they have no name there but GitLab's own for them."""
    node = section.get("registry") if section is not None else None
    if not isinstance(node, Scalar) or settings.registry_credential is not None:
        return
    if any(_logs_in(job, settings) for plan in plans for job in plan.jobs):
        report.add(
            TOKEN_FOR_OTHER_REGISTRY,
            f'jobs log in to "{node.text}" with their job token, which only GitLab\'s own registry takes',
            at=node.span,
            hint='add "registry_credential", the ID of a user name and password there; the registry of your own GitLab '
            "is the default",
        )


def _logs_in(job: Job, settings: GitLabSettings) -> bool:
    is_pushed = job.shared.image and settings.images is Images.REGISTRY
    return is_pushed or any(isinstance(step, PublishImage) for step in job.steps)
