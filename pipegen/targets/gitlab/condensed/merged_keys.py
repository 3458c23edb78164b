"""Hidden jobs that the same jobs extend, merged into one."""

from __future__ import annotations

from collections.abc import Mapping

from pipegen.structs import replace
from pipegen.targets.gitlab.condensed.names import shared_name
from pipegen.targets.gitlab.model import Document, GitLabJob


def with_merged_keys(document: Document) -> Document:
    """Return *document* with the scripts and rules that jobs share in the hidden job with the other keys of these jobs.

    It no longer has the name of one of its keys. Jobs that share both parts of a script have it as one, unless they
    would inherit another start.
    """
    users = _users(document)
    shared = {users[job.name]: job for job in document.jobs if job.is_hidden and job.name in users}
    merged: dict[str, GitLabJob] = {}
    names: dict[str, str] = {}
    taken = document.names()
    for hidden in document.hidden:
        job = shared.get(users.get(hidden.name, ()))
        if job is not None:
            current = merged.get(job.name)
            if current is None:
                members = [each for each in document.jobs if each.name in users[job.name]]
                taken.discard(job.name)
                name = shared_name("", members, taken, has_prefix=bool(document.external))
                current = replace(job, name=name)
            merged[job.name] = replace(
                current,
                rules=hidden.rules or current.rules,
                before_script=hidden.before_script or current.before_script,
                after_script=hidden.after_script or current.after_script,
            )
            names[hidden.name] = names[job.name] = current.name
    if not names:
        return document
    inherited = {hidden.name for hidden in document.hidden if hidden.before_script and hidden.name not in names}
    for name, job in merged.items():
        keys = {each.keys_from for each in document.jobs if each.name in users[name]}
        if job.script and not document.defaults.before_script and inherited.isdisjoint(keys):
            merged[name] = replace(job, before_script=(), script=(*job.before_script, *job.script))
    return replace(
        document,
        hidden=tuple(hidden for hidden in document.hidden if hidden.name not in names),
        jobs=tuple(_renamed(merged.get(job.name, job), names) for job in document.jobs),
    )


def _users(document: Document) -> Mapping[str, tuple[str, ...]]:
    """Return the jobs that extend each hidden job with scripts, rules or other keys that jobs share, by its name.

    Hidden jobs of pipelines, which may have rules, too, are not among them: other jobs extend these for other keys.
    """
    of_pipelines = {job.keys_from for job in document.jobs}
    users: dict[str, tuple[str, ...]] = {}
    for job in document.jobs:
        for name in filter(None, (job.scripts_from, job.rules_from, *job.shared_from)):
            if name not in of_pipelines:
                users[name] = (*users.get(name, ()), job.name)
    return users


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
