"""The keys that all jobs of a pipeline share, in a hidden job that these extend, if a file has several pipelines."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pipegen.structs import replace
from pipegen.targets.gitlab.condensed.conditions import EXTRA_LINES, count_lines, free_name
from pipegen.targets.gitlab.model import Document, GitLabJob, Hidden

# Keys that a job of the user's own text replaces, so that it cannot share them.
_SHARED_KEYS = {"rules", "image", "services", "variables", "cache", "retry", "timeout", "interruptible"}
_INSTEAD = _SHARED_KEYS | {"extends", "inherit", "only", "except"}


def with_pipeline_keys(document: Document, pipeline: Callable[[str], str]) -> Document:
    """Return *document* with the keys that all jobs of a pipeline share in a hidden job, where that saves lines.

    *pipeline* returns the pipeline of a job by its name, "" for a job of none or of the only one. GitLab merges the
    `variables` of a job and of the job that it extends, and takes other keys from the latter if the job has none:
    https://docs.gitlab.com/ci/yaml/#extends
    """
    members: dict[str, list[GitLabJob]] = {}
    for job in document.jobs:
        if (name := pipeline(job.name)) and job.runs_stage and not job.extends and _INSTEAD.isdisjoint(job.raw):
            members.setdefault(name, []).append(job)
    taken = {*(job.name for job in document.jobs), *(hidden.name for hidden in document.hidden)}
    hidden_jobs: list[Hidden] = []
    extending: dict[str, GitLabJob] = {}
    for name, jobs in members.items():
        shared = _shared(jobs)
        lines = _lines(shared)
        if len(jobs) * lines > len(jobs) + lines + EXTRA_LINES:
            hidden_jobs.append(replace(shared, name=free_name(f".{name}", taken)))
            extending |= {job.name: _without(job, hidden_jobs[-1]) for job in jobs}
    return replace(
        document,
        hidden=(*document.hidden, *hidden_jobs),
        jobs=tuple(extending.get(job.name, job) for job in document.jobs),
    )


def _shared(jobs: Sequence[GitLabJob]) -> Hidden:
    """Return a hidden job without a name, with the keys that all *jobs* have."""
    first, *others = jobs
    return Hidden(
        name="",
        rules=first.rules if all(job.rules == first.rules for job in others) else (),
        image=first.image if all(job.image == first.image for job in others) else None,
        services=first.services if all(job.services == first.services for job in others) else (),
        variables=tuple(entry for entry in first.variables if all(entry in job.variables for job in others)),
        caches=first.caches if all(job.caches == first.caches for job in others) else (),
        retry=first.limits.retry if all(job.limits.retry == first.limits.retry for job in others) else None,
        timeout=first.limits.timeout if all(job.limits.timeout == first.limits.timeout for job in others) else "",
        interruptible=all(job.interruptible for job in jobs),
    )


def _without(job: GitLabJob, hidden: Hidden) -> GitLabJob:
    """Return *job*, which extends *hidden*, without the keys that it gets from there."""
    return replace(
        job,
        extends="" if hidden.rules else hidden.name,
        rules_from=hidden.name if hidden.rules else "",
        rules=() if hidden.rules else job.rules,
        image=None if hidden.image is not None else job.image,
        services=() if hidden.services else job.services,
        variables=tuple(entry for entry in job.variables if entry not in hidden.variables),
        caches=() if hidden.caches else job.caches,
        limits=replace(
            job.limits,
            retry=None if hidden.retry is not None else job.limits.retry,
            timeout="" if hidden.timeout else job.limits.timeout,
        ),
        interruptible=job.interruptible and not hidden.interruptible,
    )


def _lines(hidden: Hidden) -> int:
    """Return the number of lines of the keys of *hidden*, at least."""
    short = (hidden.image, hidden.services, hidden.retry, hidden.timeout, hidden.interruptible)
    variables = 1 + len(hidden.variables) if hidden.variables else 0
    return sum(map(bool, short)) + count_lines(hidden.rules) + variables + 3 * len(hidden.caches)
