"""The names of GitLab's stages: the jobs in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pipegen.numbering import unique_name
from pipegen.targets.gitlab.model import Document, GitLabJob
from pipegen.targets.gitlab.pipelines import step_number

# All jobs of a pipeline with more steps are in one stage, unless a job without needs follows the order of the stages.
_MOST_STAGES = 20
_ONLY_STAGE = "pipeline"
# Jobs that a name lists; the rest are counted.
_MOST_NAMES = 3
# In bytes: https://docs.gitlab.com/ci/yaml/#stages, and the column of the stage's name.
_LONGEST = 255


def stage_names(document: Document, title: Callable[[str], str], *, has_same_stage: bool) -> dict[str, str]:
    """Return the name of each stage of *document*, in order, by the step or the name that it has in *document*.

    *title* returns the name of a job in the name of its stage. A name is "lint, unit, build", or "lint, unit and 4
    more". With *has_same_stage*, a pipeline of many steps has one stage for them if needs order all jobs.
    """
    jobs_by_stage: dict[str, list[GitLabJob]] = {stage: [] for stage in document.stages}
    for job in document.jobs:
        jobs_by_stage[job.stage].append(job)
    used = {stage: jobs for stage, jobs in jobs_by_stage.items() if jobs}
    steps = [stage for stage, jobs in used.items() if step_number(jobs[0])]
    names = {stage: stage for stage in used}
    follows_stages = any("needs" in job.raw and job.raw["needs"] is None for job in document.jobs)
    if has_same_stage and len(steps) > _MOST_STAGES and not follows_stages:
        return names | dict.fromkeys(steps, _ONLY_STAGE)
    taken = set(used).difference(steps)
    for stage in steps:
        names[stage] = unique_name(
            _name(_titles(used[stage], title)), taken, lambda name, number: _cut(name, f" {number}")
        )
    return names


def with_external(
    stages: tuple[str, ...], external: Sequence[tuple[str, str]], names: Mapping[str, str]
) -> tuple[str, ...]:
    """Return *stages* with those of included jobs, each after another, whose name is in *names*, or at the start."""
    placed = list(stages)
    last: dict[str, str] = {}
    for name, earlier in external:
        if name not in placed:
            before = last.get(earlier) or (names[earlier] if earlier else "")
            placed.insert(placed.index(before) + 1 if before else 0, name)
            last[earlier] = name
    return tuple(placed)


def _titles(jobs: Sequence[GitLabJob], title: Callable[[str], str]) -> list[str]:
    """Return the titles of *jobs*, without helpers if there are others, and without mails beside other helpers."""
    names = [job.name for job in jobs if not (job.is_helper or job.is_hidden)]
    names = names or [job.name for job in jobs if not job.mail_of] or [job.name for job in jobs]
    return list(dict.fromkeys(map(title, names)))


def _name(titles: Sequence[str]) -> str:
    if len(titles) <= _MOST_NAMES and _fits(name := ", ".join(titles)):
        return name
    for listed in range(min(_MOST_NAMES, len(titles)) - 1, 0, -1):
        name = f"{', '.join(titles[:listed])} and {len(titles) - listed} more"
        if _fits(name):
            return name
    return _cut(titles[0], f" and {len(titles) - 1} more" if len(titles) > 1 else "")


def _cut(name: str, ending: str) -> str:
    if _fits(name + ending):
        return name + ending
    room = _LONGEST - len(f"…{ending}".encode())
    return f"{name.encode()[:room].decode(errors='ignore')}…{ending}"


def _fits(name: str) -> bool:
    return len(name.encode()) <= _LONGEST
