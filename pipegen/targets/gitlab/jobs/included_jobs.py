"""Files of others that the generated file includes, and the GitLab stages of their jobs."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Plan
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Scalar, entries_of
from pipegen.targets.gitlab.jobs.setting_stages import Titles, report_unknown_stage, setting_names
from pipegen.targets.gitlab.model import Document
from pipegen.targets.gitlab.settings import GitLabSettings

# GitLab has these in every pipeline, before and after all others.
_ALWAYS = (".pre", ".post")


def external_stages(
    document: Document, plans: Sequence[Plan], titles: Titles, settings: GitLabSettings
) -> tuple[tuple[str, str], ...]:
    """Return the GitLab stages of included jobs, each with the one of *document* that it comes after.

    *titles* are the job names of the stages of *plans*.
    """
    placed = []
    for name, earlier in settings.include_stages:
        jobs = {
            titles[plan.name, job.stage] for plan in plans for job in plan.jobs if earlier in setting_names(plan, job)
        }
        stages = [job.stage for job in document.jobs if job.name in jobs]
        placed.append((name, max(stages, key=document.stages.index, default="")))
    return tuple(placed)


def check_includes(plans: Sequence[Plan], section: TreeMapping | None, *, is_part: bool, report: Report) -> None:
    """Note that included jobs are not checked, and report stages of theirs after one that no plan has."""
    if section is None:
        return
    entry = section.entry("include")
    if entry is not None:
        report.add(
            codes.UNSEEN_INCLUDE,
            "pipegen does not see the jobs of the files that targets.gitlab.include names",
            at=entry.key.span,
            hint='check that none has the name of a stage, and name their GitLab stages in "include_stages"',
        )
    stages = section.get("include_stages")
    names = tuple(dict.fromkeys(job.title for plan in plans for job in plan.jobs))
    known = {name for plan in plans for job in plan.jobs for name in setting_names(plan, job)}
    for item in entries_of(stages):
        earlier = item.value
        if item.key.text in _ALWAYS:
            report.add(
                codes.INVALID_VALUE,
                f'GitLab always has the stage "{item.key.text}"',
                at=item.key.span,
                hint="remove it",
            )
        elif isinstance(earlier, Scalar) and earlier.value is not None and not is_part and earlier.text not in known:
            report_unknown_stage("include_stages", earlier, names, names, report)
