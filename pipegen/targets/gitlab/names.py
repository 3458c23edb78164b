"""Names of jobs: readable, allowed by GitLab, each used once."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.diagnostics.codes import RENAMED_JOB
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Plan

# https://docs.gitlab.com/ci/jobs/#job-names, the other keywords of the top of a file, and the name that publishes a
# website.
_RESERVED = frozenset(
    {
        *("after_script", "before_script", "cache", "default", "image", "include", "services", "spec", "stages"),
        *("types", "variables", "workflow"),
        *("false", "nil", "true"),
        *("pages", "pages:deploy"),
    }
)
_LONGEST = 255


class JobNames:
    """The names given so far."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def copy(self) -> JobNames:
        """Return the names given so far, to which others may be added."""
        found = JobNames()
        found._taken |= self._taken
        return found

    def take(self, wish: str) -> str:
        """Return a name as near to *wish* as GitLab allows, and keep it from being given again."""
        name = _allowed(wish)
        count = 1
        while name in self._taken:
            count += 1
            name = _shortened(_allowed(wish), f" {count}")
        self._taken.add(name)
        return name


def stage_names(plans: Sequence[Plan], names: JobNames, report: Report) -> dict[tuple[str, str], str]:
    """Return the name of each pipeline's and stage's job: the stage's, after the pipeline's if there are several."""
    given: dict[tuple[str, str], str] = {}
    for plan in plans:
        for job in plan.jobs:
            wish = f"{plan.name}: {job.stage}" if len(plans) > 1 else job.stage
            name = given[plan.name, job.stage] = names.take(wish)
            if name != wish:
                report.add(RENAMED_JOB, f'GitLab allows no job named "{wish}"; it is called "{name}"', at=job.span)
    return given


def _allowed(name: str) -> str:
    """Return *name*, changed where it would be a keyword, a hidden job, blank, or too long."""
    if name in _RESERVED or name.startswith(".") or not name.strip():
        return f"stage {name}"
    return name if len(name) <= _LONGEST else _shortened(name, "")


def _shortened(name: str, end: str) -> str:
    """Return *name* with *end*, cut in between where both are too long."""
    room = _LONGEST - len(end)
    return name + end if len(name) <= room else f"{name[: room - 1]}…{end}"
