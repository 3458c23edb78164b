"""Files that stages get from jobs of other projects and pipelines, which pipegen does not see."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, listed, suggestion
from pipegen.emit.yaml import Data
from pipegen.plan.model import Job, Plan, TriggerJob
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Scalar, items_of
from pipegen.structs import replace
from pipegen.targets.gitlab.jobs.deployments.publications import Titles
from pipegen.targets.gitlab.jobs.included_jobs import setting_names
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
    sources: dict[str, tuple[Mapping[str, Data], ...]] = {}
    for files in settings.files_from:
        for plan in plans:
            for job in plan.jobs:
                if not set(files.stages).isdisjoint(setting_names(plan, job)):
                    name = titles[plan.name, job.stage]
                    sources[name] = (*sources.get(name, ()), *files.jobs)
    return tuple(replace(job, other_files=sources[job.name]) if job.name in sources else job for job in jobs)


def check_other_files(plans: Sequence[Plan], section: TreeMapping | None, *, is_part: bool, report: Report) -> None:
    """Report stages in the setting that no plan has, unless *is_part*, and those that cannot get files."""
    if section is None or section.get("files_from") is None:
        return
    known = {name: job for plan in plans for job in plan.jobs for name in setting_names(plan, job)}
    crowded = _crowded(section)
    names = tuple(dict.fromkeys(job.title for plan in plans for job in plan.jobs))
    for named in _stages(section):
        job = known.get(named.text)
        if job is None and not is_part:
            suggested = suggestion(named.text, names)
            report.add(
                codes.UNKNOWN_STAGE_IN_SETTING,
                f'targets.gitlab.files_from names stage "{named.text}", which is not defined',
                at=named.span,
                hint=f'did you mean "{suggested}"?' if suggested else f"the stages are {listed(names)}",
            )
        reason = (_refusal(job) if job is not None else "") or crowded.get(named.text, "")
        if reason:
            report.add(
                codes.INVALID_VALUE,
                f'stage "{named.text}" cannot get files of other pipelines: {reason}',
                at=named.span,
                hint="remove it, and download the files in the script",
            )


def _items(section: TreeMapping | None) -> Iterator[TreeMapping]:
    for item in items_of(section.get("files_from") if section is not None else None):
        if isinstance(item, TreeMapping):
            yield item


def _stages(section: TreeMapping | None) -> Iterator[Scalar]:
    for item in _items(section):
        yield from (each for each in items_of(item.get("stages")) if isinstance(each, Scalar))


def _crowded(section: TreeMapping | None) -> Mapping[str, str]:
    """Return the stages with more jobs of other projects, or of other pipelines, than GitLab allows, and the reason."""
    counts: Counter[tuple[str, str]] = Counter()
    for item in _items(section):
        sources = [each for each in items_of(item.get("jobs")) if isinstance(each, TreeMapping)]
        kinds = Counter("projects" if each.get("project") is not None else "pipelines" for each in sources)
        for stage in items_of(item.get("stages")):
            counts.update({(stage.text, kind): count for kind, count in kinds.items() if isinstance(stage, Scalar)})
    return {
        stage: f"GitLab allows {_MOST_NEEDS} jobs of other {kind}, and it has {count}"
        for (stage, kind), count in counts.items()
        if count > _MOST_NEEDS
    }


def _refusal(job: Job) -> str:
    """Return why the job of *job* cannot need jobs of other pipelines, "" if it can."""
    if job.is_final:
        return "with needs, it would not wait for all other stages"
    return "it has no script" if all(isinstance(step, TriggerJob) for step in job.steps) else ""
