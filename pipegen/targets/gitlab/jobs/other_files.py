"""Files that stages get from jobs of other projects and pipelines, which pipegen does not see."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.emit.yaml import Data
from pipegen.plan.model import Job, Plan, TriggerJob
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Scalar, child, items_of, scalars_of
from pipegen.structs import replace
from pipegen.targets.gitlab.jobs.setting_stages import Titles, report_unknown_stage, setting_names
from pipegen.targets.gitlab.model import GitLabJob
from pipegen.targets.gitlab.settings import GitLabSettings

# NEEDS_CROSS_PIPELINE_DEPENDENCIES_LIMIT and NEEDS_CROSS_PROJECT_DEPENDENCIES_LIMIT, in `Entry::Needs` of GitLab.
_MOST_NEEDS = 5


def with_other_files(
    jobs: Iterable[GitLabJob], plans: Sequence[Plan], titles: Titles, settings: GitLabSettings
) -> tuple[GitLabJob, ...]:
    """Return *jobs*; those of the stages in the settings also need jobs of other pipelines.

    *titles* are the job names of the stages of *plans*.
    """
    if not settings.files_from:
        return tuple(jobs)
    sources = {
        titles[plan.name, job.stage]: _sources(setting_names(plan, job), settings)
        for plan in plans
        for job in plan.jobs
    }
    return tuple(replace(job, other_files=sources[job.name]) if sources.get(job.name) else job for job in jobs)


def _sources(names: Sequence[str], settings: GitLabSettings) -> tuple[Mapping[str, Data], ...]:
    """Return the jobs, each once, whose files a stage gets that the settings may call any of *names*."""
    jobs = [job for files in settings.files_from if not set(files.stages).isdisjoint(names) for job in files.jobs]
    return tuple(job for number, job in enumerate(jobs) if job not in jobs[:number])


def check_other_files(
    plans: Sequence[Plan], section: TreeMapping | None, settings: GitLabSettings, *, is_part: bool, report: Report
) -> None:
    """Report stages in the setting that no plan has, unless *is_part*, and those that cannot get files."""
    if section is None or section.get("files_from") is None:
        return
    known: dict[str, Job] = {}
    crowded: dict[str, str] = {}
    for job, own_names in [(job, setting_names(plan, job)) for plan in plans for job in plan.jobs]:
        known |= dict.fromkeys(own_names, job)
        if reason := crowded_needs(_sources(own_names, settings)):
            crowded |= dict.fromkeys(own_names, reason)
    names = tuple(dict.fromkeys(job.title for plan in plans for job in plan.jobs))
    for named in _stages(section):
        stage_job = known.get(named.text)
        if stage_job is None and not is_part:
            report_unknown_stage("files_from", named, names, names, report)
        reason = (_refusal(stage_job) if stage_job is not None else "") or crowded.get(named.text, "")
        if reason:
            report.add(
                codes.INVALID_VALUE,
                f'stage "{named.text}" cannot get files of other pipelines: {reason}',
                at=named.span,
                hint="remove it, and download the files in the script",
            )


def crowded_needs(jobs: Iterable[Container[str]]) -> str:
    """Return why GitLab refuses needs on *jobs* of other projects and pipelines with these keys; "" if they are few."""
    counts = Counter("pipelines" if "pipeline" in job else "projects" for job in jobs)
    reasons = (
        f"it has {count} jobs of other {kind}, and GitLab allows {_MOST_NEEDS}"
        for kind, count in counts.items()
        if count > _MOST_NEEDS
    )
    return next(reasons, "")


def _stages(section: TreeMapping) -> Iterator[Scalar]:
    for item in items_of(section.get("files_from")):
        yield from scalars_of(child(item, "stages"))


def _refusal(job: Job) -> str:
    """Return why the job of *job* cannot need jobs of other pipelines, "" if it can."""
    if job.is_final:
        return "with needs, it would not wait for all other stages"
    return "it has no script" if all(isinstance(step, TriggerJob) for step in job.steps) else ""
