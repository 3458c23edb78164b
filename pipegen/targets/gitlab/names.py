"""Job names: readable, allowed by GitLab, and unique."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipegen.diagnostics.codes import RENAMED_JOB
from pipegen.diagnostics.report import Report
from pipegen.numbering import unique_name
from pipegen.plan.model import Plan
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.targets.engine_names import allowed_name
from pipegen.targets.gitlab.settings import GitLabSettings, read

# The job name that publishes a website: https://docs.gitlab.com/ci/yaml/#pages.
_WEBSITE = "pages"
# https://docs.gitlab.com/ci/jobs/#job-names, the other top-level keywords, and the job name that publishes a website.
_RESERVED = frozenset(
    {
        *("after_script", "before_script", "cache", "default", "image", "include", "services", "spec", "stages"),
        *("types", "variables", "workflow"),
        *("false", "nil", "true"),
        *(_WEBSITE, "pages:deploy"),
    }
)
LONGEST = 255
# https://docs.gitlab.com/ci/variables/predefined_variables/: CI_COMMIT_REF_SLUG.
_LONGEST_SLUG = 63
# https://docs.gitlab.com/ci/yaml/#resource_group; `$` would start a variable.
_NOT_IN_RESOURCE_GROUPS = re.compile(r"[^A-Za-z0-9_/. -]")


def resource_group_name(resource: str, *, is_of_branch: bool = False) -> str:
    """Return the name of the resource group of *resource*; with *is_of_branch*, each branch has one.

    GitLab ignores a resource group whose name is too long.
    """
    if is_of_branch:
        longest = LONGEST - len(" on ") - _LONGEST_SLUG
        return f"{allowed_name(resource, _NOT_IN_RESOURCE_GROUPS, '/ ', longest)} on $CI_COMMIT_REF_SLUG"
    return allowed_name(resource, _NOT_IN_RESOURCE_GROUPS, edges="/ ")


class JobNames:
    """The job names in use."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def copy(self) -> JobNames:
        """Return a copy, to which names can be added independently."""
        names = JobNames()
        names._taken |= self._taken
        return names

    def take(self, wish: str, *, is_website: bool = False) -> str:
        """Return a unique name as close to *wish* as GitLab allows, and reserve it.

        Only the job that publishes the website may have its name.
        """
        name = wish if is_website and wish == _WEBSITE else allowed(wish)
        return unique_name(name, self._taken, lambda _, number: _shortened(allowed(wish), f" {number}"))


def job_names(plans: Sequence[Plan], section: TreeMapping | None) -> dict[tuple[str, str], str]:
    """Return the job name of each pipeline and stage, with the settings *section*; renamed jobs are not reported."""
    return stage_names(plans, read(section), JobNames(), Report())


def stage_names(
    plans: Sequence[Plan], settings: GitLabSettings, names: JobNames, report: Report
) -> dict[tuple[str, str], str]:
    """Return the job name of each pipeline and stage: the stage's, after the pipeline's if there are several."""
    website = settings.pages.stage if settings.pages is not None else ""
    names_by_stage: dict[tuple[str, str], str] = {}
    for plan in plans:
        for job in plan.jobs:
            wish = f"{plan.name}: {job.stage}" if len(plans) > 1 else job.stage
            name = names_by_stage[plan.name, job.stage] = names.take(wish, is_website=job.stage == website)
            if name != wish:
                report.add(
                    RENAMED_JOB,
                    f'GitLab does not allow the job name "{wish}"; the job is named "{name}"',
                    at=job.span,
                    hint="if it publishes a website, set targets: {gitlab: {pages: {stage: pages}}}"
                    if wish == _WEBSITE
                    else None,
                )
    return names_by_stage


def allowed(name: str) -> str:
    """Return *name*, changed if it is a keyword, hidden, blank or too long."""
    if name in _RESERVED or name.startswith(".") or not name.strip():
        return f"stage {name}"
    return name if len(name) <= LONGEST else _shortened(name, "")


def _shortened(name: str, end: str) -> str:
    """Return *name* with *end*, shortened between them if both together are too long."""
    room = LONGEST - len(end)
    return name + end if len(name) <= room else f"{name[: room - 1]}…{end}"
