"""Hidden jobs that the same jobs extend, merged into one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from pipegen.structs import replace
from pipegen.targets.gitlab.condensed.names import TemplateNames, shared_name
from pipegen.targets.gitlab.model import Document, GitLabJob, Hidden


def with_merged_keys(document: Document, templates: TemplateNames) -> Document:
    """Return *document* with the scripts and rules that jobs share in the hidden job with the other keys of these jobs.

    It no longer has the name of one of its keys, but that of one of *templates*, where possible. Jobs that share both
    parts of a script have it as one, unless they would inherit another start.
    """
    users, jobs_by_name = _users(document), {job.name: job for job in document.jobs}
    shared = {users[job.name]: job for job in document.jobs if job.is_hidden and job.name in users}
    parts: dict[str, list[Hidden]] = {}
    for hidden in document.hidden:
        if (job := shared.get(users.get(hidden.name, ()))) is not None:
            parts.setdefault(job.name, []).append(hidden)
    if not parts:
        return document
    names, taken = dict[str, str](), document.names()
    for old, own in parts.items():
        members = [jobs_by_name[name] for name in users[old]]
        taken.discard(old)
        name = shared_name("", members, taken, templates, has_prefix=bool(document.external))
        names |= dict.fromkeys((old, *(hidden.name for hidden in own)), name)
    jobs = (
        _with_parts(job, parts[job.name], names[job.name]) if job.name in parts else _renamed(job, names)
        for job in document.jobs
    )
    others = tuple(hidden for hidden in document.hidden if hidden.name not in names)
    return _with_whole_scripts(replace(document, hidden=others, jobs=tuple(jobs)), {*names.values()})


def _with_parts(job: GitLabJob, parts: Iterable[Hidden], name: str) -> GitLabJob:
    """Return the hidden *job* with the *name* and with the scripts and rules of *parts*."""
    for part in parts:
        job = replace(
            job,
            rules=part.rules or job.rules,
            before_script=part.before_script or job.before_script,
            after_script=part.after_script or job.after_script,
        )
    return replace(job, name=name)


def _with_whole_scripts(document: Document, names: Collection[str]) -> Document:
    """Return *document* whose hidden jobs *names* have the start of their script in it.

    The start stays apart if those that extend it would inherit another one.
    """
    if document.defaults.before_script:
        return document
    starts = {hidden.name for hidden in document.hidden if hidden.before_script}
    inheriting = {name for job in document.jobs if job.keys_from in starts for name in job.shared_from}
    jobs = (
        replace(job, before_script=(), script=(*job.before_script, *job.script))
        if job.name in names and job.script and job.name not in inheriting
        else job
        for job in document.jobs
    )
    return replace(document, jobs=tuple(jobs))


def _users(document: Document) -> Mapping[str, tuple[str, ...]]:
    """Return the jobs that extend each hidden job with scripts, rules or other keys that jobs share, by its name.

    Hidden jobs of pipelines, which may have rules, too, are not among them: other jobs extend these for other keys.
    """
    of_pipelines = {job.keys_from for job in document.jobs}
    users: dict[str, list[str]] = {}
    for job in document.jobs:
        for name in filter(None, (job.scripts_from, job.rules_from, *job.shared_from)):
            if name not in of_pipelines:
                users.setdefault(name, []).append(job.name)
    return {name: tuple(jobs) for name, jobs in users.items()}


def _renamed(job: GitLabJob, names: Mapping[str, str]) -> GitLabJob:
    """Return *job*, which extends hidden jobs by their new *names*."""
    own = (job.scripts_from, job.rules_from, *job.shared_from)
    if names.keys().isdisjoint(own):
        return job
    return replace(
        job,
        scripts_from="" if job.scripts_from in names else job.scripts_from,
        rules_from="" if job.rules_from in names else job.rules_from,
        shared_from=tuple(dict.fromkeys(names.get(name, name) for name in job.shared_from)),
    )
