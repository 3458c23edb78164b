"""The keys that the jobs of a pipeline share, in a hidden job that these extend, if a file has several pipelines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from pipegen.numbering import unique_name
from pipegen.structs import Struct, replace
from pipegen.targets.gitlab.condensed.conditions import EXTRA_LINES, count_lines
from pipegen.targets.gitlab.condensed.defaults import CACHE_LINES
from pipegen.targets.gitlab.condensed.scripts import Script, line_count, shared_script
from pipegen.targets.gitlab.jobs.hidden_jobs import with_tools
from pipegen.targets.gitlab.model import Document, GitLabJob, Hidden

T = TypeVar("T")

# Keys that a job of the user's own text replaces, so that it cannot share them.
_SHARED_KEYS = {"rules", "image", "services", "variables", "cache", "retry", "timeout", "interruptible"}
_INSTEAD = _SHARED_KEYS | {"extends", "inherit", "only", "except"}


class _Member(Struct):
    """A job of a pipeline: with its *own* keys, and the *whole* job, with those of the hidden job of its tools.

    The latter come after those of the pipeline.
    """

    own: GitLabJob
    whole: GitLabJob


class _Extension(Struct):
    """The *hidden* job that a job extends, the keys that it *repeated*, and those that are *emptied* in it."""

    hidden: str
    repeated: Hidden
    emptied: tuple[str, ...]


def with_pipeline_keys(document: Document, pipelines: Mapping[str, str], *, has_scripts: bool) -> Document:
    """Return *document* with the keys that jobs of a pipeline share in a hidden job, where that saves lines.

    Each of these jobs has the keys: one with another value writes its own. The keys include scripts if it
    *has_scripts*. *pipelines* are the pipelines of jobs. GitLab merges the `variables` of a job and of the job that it
    extends, and takes other keys from the latter if the job has none: https://docs.gitlab.com/ci/yaml/#extends
    """
    tools = document.hidden_by_name()
    members: dict[str, list[_Member]] = {}
    for job in document.jobs:
        name = pipelines.get(job.name)
        if name and job.runs_stage and (not job.extends or job.extends in tools) and _INSTEAD.isdisjoint(job.raw):
            members.setdefault(name, []).append(_Member(job, with_tools(job, tools.get(job.extends))))
    taken = document.names()
    hidden_jobs: list[Hidden] = []
    extending: dict[str, _Extension] = {}
    for pipeline_name, jobs in members.items():
        shared = _shared(jobs, has_scripts=has_scripts)
        users = [job for job in jobs if _lines(_repeated(job.own, shared))]
        # More keys that all these jobs have would only be in another hidden job for them.
        shared = _shared(users, has_scripts=has_scripts) if users else shared
        repeated = {job.own.name: keys for job in users if _lines(keys := _repeated(job.own, shared))}
        emptied = {job.own.name: _emptied(job.whole, shared) for job in users if job.own.name in repeated}
        saved = sum(map(_lines, repeated.values())) - sum(map(len, emptied.values()))
        if saved > len(repeated) + _lines(shared) + EXTRA_LINES:
            hidden_jobs.append(replace(shared, name=unique_name(f".{pipeline_name}", taken)))
            extending |= {
                name: _Extension(hidden_jobs[-1].name, keys, emptied[name]) for name, keys in repeated.items()
            }
    return replace(
        document,
        hidden=(*document.hidden, *hidden_jobs),
        jobs=tuple(_extending(job, extending[job.name]) if job.name in extending else job for job in document.jobs),
    )


def _shared(members: Sequence[_Member], *, has_scripts: bool) -> Hidden:
    """Return a hidden job without a name, with the keys that all *members* have, each with its most frequent own value.

    A job may have an empty script in place of a shared one.
    """
    jobs, whole = [member.own for member in members], [member.whole for member in members]
    first, *others = jobs

    def most(key: Callable[[GitLabJob], T], empty: T, is_map: Callable[[T], bool] = lambda _: False) -> T:
        return _most([key(job) for job in jobs], [key(job) for job in whole], empty, is_map)

    def script(key: Callable[[GitLabJob], Script]) -> Script:
        return shared_script([key(job) for job in jobs], [key(job) for job in whole]) if has_scripts else ()

    return Hidden(
        name="",
        rules=most(lambda job: job.rules, ()),
        image=most(lambda job: job.image, None, lambda image: image is not None and not image.is_plain),
        services=most(lambda job: job.services, ()),
        variables=tuple(entry for entry in first.variables if all(entry in job.variables for job in others)),
        caches=most(lambda job: job.caches, (), lambda caches: len(caches) == 1),
        retry=most(lambda job: job.limits.retry, None),
        timeout=most(lambda job: job.limits.timeout, ""),
        interruptible=all(job.interruptible for job in jobs),
        before_script=script(lambda job: job.before_script),
        after_script=script(lambda job: job.after_script),
    )


def _most(own: Sequence[T], whole: Sequence[T], empty: T, is_map: Callable[[T], bool]) -> T:
    """Return the most frequent of the values that jobs have as their *own*.

    Returns *empty* if no two are equal, or if a job has no value in *whole*. A map is shared only by all jobs: GitLab
    would merge its keys into another map.
    """
    if empty in whole or not any(own):
        return empty
    ((value, count),) = Counter([each for each in own if each != empty]).most_common(1)
    is_replaceable = count == len(whole) or not is_map(value)
    return value if count > 1 and is_replaceable else empty


def _repeated(job: GitLabJob, shared: Hidden) -> Hidden:
    """Return *shared* without the keys for which *job* has another value."""
    return Hidden(
        name="",
        rules=shared.rules if shared.rules == job.rules else (),
        image=shared.image if shared.image == job.image else None,
        services=shared.services if shared.services == job.services else (),
        variables=shared.variables,
        caches=shared.caches if shared.caches == job.caches else (),
        retry=shared.retry if shared.retry == job.limits.retry else None,
        timeout=shared.timeout if shared.timeout == job.limits.timeout else "",
        interruptible=shared.interruptible,
        before_script=shared.before_script if shared.before_script == job.before_script else (),
        after_script=shared.after_script if shared.after_script == job.after_script else (),
    )


def _emptied(job: GitLabJob, shared: Hidden) -> tuple[str, ...]:
    """Return the scripts in place of which *job* has an empty value."""
    scripts = {
        "before_script": (job.before_script, shared.before_script),
        "after_script": (job.after_script, shared.after_script),
    }
    return tuple(key for key, (own, script) in scripts.items() if script and not own and key not in job.emptied)


def _extending(job: GitLabJob, extension: _Extension) -> GitLabJob:
    """Return *job* with the *extension* in place of the keys that it repeated."""
    limits, repeated = job.limits, extension.repeated
    return replace(
        job,
        keys_from=extension.hidden,
        rules_from=extension.hidden if repeated.rules else "",
        rules=() if repeated.rules else job.rules,
        image=None if repeated.image else job.image,
        services=() if repeated.services else job.services,
        variables=tuple(entry for entry in job.variables if entry not in repeated.variables),
        caches=() if repeated.caches else job.caches,
        limits=replace(
            limits,
            retry=None if repeated.retry else limits.retry,
            timeout="" if repeated.timeout else limits.timeout,
        ),
        interruptible=job.interruptible and not repeated.interruptible,
        before_script=() if repeated.before_script else job.before_script,
        after_script=() if repeated.after_script else job.after_script,
        emptied=(*job.emptied, *extension.emptied),
    )


def _lines(hidden: Hidden) -> int:
    """Return the number of lines of the keys of *hidden*, at least."""
    short = (hidden.image, hidden.services, hidden.retry, hidden.timeout, hidden.interruptible)
    variables = 1 + len(hidden.variables) if hidden.variables else 0
    after = 1 + line_count(hidden.after_script) if hidden.after_script else 0
    scripts = line_count(hidden.before_script) + after
    return sum(map(bool, short)) + count_lines(hidden.rules) + variables + CACHE_LINES * len(hidden.caches) + scripts
