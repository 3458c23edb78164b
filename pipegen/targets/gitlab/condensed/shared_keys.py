"""Keys with the same value in several jobs, in hidden jobs that these extend.

GitLab merges the maps of a job and of those that it extends, and replaces lists:
https://docs.gitlab.com/ci/yaml/#extends. So a job may get single variables, and other keys as a whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter

from pipegen.emit.yaml import Data, write
from pipegen.structs import Struct, replace
from pipegen.targets.gitlab.condensed.conditions import LEAST_SAVED_LINES, saved_lines
from pipegen.targets.gitlab.condensed.names import TemplateNames, shared_name
from pipegen.targets.gitlab.model import DEFAULT_ARTIFACT_KEYS, EMPTY_JOB, Document, GitLabJob, ImageKeys
from pipegen.targets.gitlab.render import job_data, script_data

# The fields of a job by the key that has their values.
_FIELDS: Mapping[str, tuple[str, ...]] = {
    "image": ("image",),
    "services": ("services",),
    "tags": ("tags",),
    "retry": ("retry",),
    "timeout": ("timeout",),
    "interruptible": ("interruptible",),
    "cache": ("caches",),
    "before_script": ("before_script",),
    "script": ("script",),
    "after_script": ("after_script",),
    "needs": ("needs", "other_files"),
    "artifacts": ("artifacts", "artifact_keys"),
    "trigger": ("trigger",),
}
_LIMITS = ("retry", "timeout")
_FIRST_FIELDS = attrgetter(*(f"limits.{name}" if name in _LIMITS else name for name, *_ in _FIELDS.values()))
# Keys with one value on their line, which GitLab does not merge with others.
_REPLACED = ("image", "timeout")
# Raw keys that say more about a job than what others may have in common with it, or that GitLab does not merge.
_OF_ONE_JOB = frozenset({"extends", "stage", "rules", "variables"})
# Fewer needs stay in the jobs, where they show the order.
_MANY_NEEDS = 4
# Longer lines count as several.
_LINE = 120
# Keys of more lines than a second hidden job takes, without its own, are not repeated.
_MOST_REPEATED = 3
# Keys that say what a job does. Jobs that share more than these keep them.
_OF_WORK = frozenset({"script", "needs", "artifacts", "trigger", "rules"})


class _Key(Struct):
    """A *key* with its value: the *fields* of a job, and *raw* text of the user; *variable* names a single variable.

    A key without both has the empty value.
    """

    key: str
    fields: tuple[object, ...] = ()
    raw: str = ""
    variable: str = ""


def with_shared_keys(document: Document, templates: TemplateNames) -> Document:
    """Return *document* with the keys that several jobs share in hidden jobs, where that saves lines.

    Hidden jobs have the names of *templates*, where possible.
    """
    jobs = {job.name: job for job in document.base_jobs()}
    # Helpers share keys with other helpers, so that a hidden job is about stages or about helpers.
    users: dict[tuple[bool, _Key], list[str]] = {}
    for name, job in jobs.items():
        for key in _keys(_without_archive_name(job)):
            users.setdefault((job.is_helper, key), []).append(name)
    groups: dict[tuple[str, ...], list[_Key]] = {}
    for (_, key), own in users.items():
        if len(own) > 1:
            groups.setdefault(tuple(own), []).append(key)
    _move_to_fewer(groups, jobs)
    groups = _with_keys_of_more(groups, jobs)
    taken, moved = document.names(), {key for keys in groups.values() for key in keys}
    before: dict[str, list[GitLabJob]] = {}
    for sharing, keys in groups.items():
        members = [jobs[name] for name in sharing]
        frequent = [key for key in _frequent_keys(members) if key not in moved]
        names_differ = _has_archives(keys) and len({repr(_archive_name(job)) for job in members}) > 1
        hidden = _hidden(members, keys, frequent, has_archive_name=_has_archives(keys) and not names_differ)
        # Jobs with a name of their own keep the line `artifacts`, too.
        remaining_lines = len(members) - 1 if names_differ else 0
        saved = _saved_lines(hidden, keys, members) + _repeated_lines(members, frequent) - remaining_lines
        if saved >= LEAST_SAVED_LINES:
            kinds = {key.key for key in (*keys, *frequent)}
            content = kinds.pop() if len(kinds) == 1 else ""
            name = shared_name(content, members, taken, templates, has_prefix=bool(document.external))
            hidden = replace(hidden, name=name)
            before.setdefault(sharing[0], []).append(hidden)
            jobs |= {
                job.name: _extending(job, [*keys, *_own(job, frequent)], hidden.name, has_archive_name=names_differ)
                for job in members
            }
    if not before:
        return document
    return replace(
        document,
        jobs=tuple(each for job in document.jobs for each in (*before.get(job.name, ()), jobs.get(job.name, job))),
    )


def _hidden(
    members: Sequence[GitLabJob], keys: Sequence[_Key], frequent: Sequence[_Key], *, has_archive_name: bool
) -> GitLabJob:
    """Return a hidden job with *keys* of all *members*, and with *frequent* ones of most."""
    hidden = _only(_without_archive_name(members[0]), keys)
    for key in frequent:
        hidden = _with_fields(hidden, [key], next(job for job in members if _own(job, [key])))
    return _with_archive_name(hidden, _archive_name(members[0])) if has_archive_name else hidden


def _extending(job: GitLabJob, keys: Sequence[_Key], hidden: str, *, has_archive_name: bool) -> GitLabJob:
    """Return *job* without *keys*, which it gets from the job *hidden*; with *has_archive_name*, it keeps that."""
    user = _without(_without_archive_name(job) if _has_archives(keys) else job, keys, hidden)
    return _with_archive_name(user, _archive_name(job)) if has_archive_name else user


def _own(job: GitLabJob, keys: Sequence[_Key]) -> list[_Key]:
    """Return those of *keys*, of one field each, whose value *job* has."""
    return [key for key in keys if _field(job, key.key) == key.fields[0]]


def _has_archives(keys: Sequence[_Key]) -> bool:
    return any(key.key == "artifacts" for key in keys)


def _keys(job: GitLabJob) -> Iterator[_Key]:
    """Yield the keys of *job* that other jobs may share; rules that pipegen generates are shared before."""
    raw = job.raw
    for (key, names), first in zip(_FIELDS.items(), _FIRST_FIELDS(job), strict=True):
        has_fields = first or (key == "artifacts" and job.artifact_keys is not DEFAULT_ARTIFACT_KEYS)
        if not raw.get(key, has_fields) or (key == "needs" and _has_few_needs(job)):
            continue
        # Null would not remove the `coverage` of these fields from another job.
        if key != "artifacts" or raw.get("coverage", "") is not None:
            is_replaced = key in raw and (key == "trigger" or not isinstance(raw[key], dict))
            fields = () if is_replaced else tuple([_hashable_field(job, name) for name in names])
            yield _Key(key, fields, repr(raw[key]) if key in raw else "")
    for key in job.emptied:
        yield _Key(key)
    if job.raw.get("rules"):
        yield _Key("rules", raw=repr(job.raw["rules"]))
    for key in _other_raw_keys(job):
        yield _Key(key, raw=repr(raw[key]))
    yield from _variables(job)


def _variables(job: GitLabJob) -> Iterator[_Key]:
    raw_variables = job.raw.get("variables", {})
    if isinstance(raw_variables, dict):
        for name, value in raw_variables.items():
            yield _Key("variables", raw=repr(value), variable=name)
        for variable in job.variables:
            if variable.name not in raw_variables:
                yield _Key("variables", (variable,), variable=variable.name)


def _hashable_field(job: GitLabJob, name: str) -> object:
    """Return the field of *job* with the *name*, or its text for needs on jobs of other pipelines, which are maps."""
    return repr(job.other_files) if name == "other_files" else _field(job, name)


def _has_few_needs(job: GitLabJob) -> bool:
    raw = job.raw.get("needs")
    return len(raw if isinstance(raw, list) else (*job.needs, *job.other_files)) < _MANY_NEEDS


def _other_raw_keys(job: GitLabJob) -> Sequence[str]:
    """Return the other raw keys of *job*, with which pipegen merges no generated ones."""
    keys = [key for key, value in job.raw.items() if value and key not in _FIELDS and key not in _OF_ONE_JOB]
    generated = job_data(replace(job, raw={}), None) if keys else {}
    return [key for key in keys if key not in generated]


def _only(job: GitLabJob, keys: Sequence[_Key]) -> GitLabJob:
    """Return a hidden job with those *keys* of *job*."""
    hidden = GitLabJob(
        name=".",
        stage=job.stage,
        has_stage_of_extended=True,
        emptied=tuple(key for key in job.emptied if _Key(key) in keys),
        variables=tuple(variable for variable in job.variables if _has_variable(keys, variable.name)),
        raw=_raw(job, keys, are_kept=True),
    )
    return _with_fields(hidden, keys, job)


def _without(job: GitLabJob, keys: Sequence[_Key], hidden: str) -> GitLabJob:
    """Return *job* without *keys*, which it gets from the job *hidden*."""
    has_rules = any(key.key == "rules" for key in keys)
    own = replace(
        job,
        shared_from=(*job.shared_from, hidden),
        rules=() if has_rules else job.rules,
        rules_from=hidden if has_rules else job.rules_from,
        emptied=tuple(key for key in job.emptied if _Key(key) not in keys),
        variables=tuple(variable for variable in job.variables if not _has_variable(keys, variable.name)),
        raw=_raw(job, keys, are_kept=False),
    )
    return _with_fields(own, keys, EMPTY_JOB)


def _with_fields(job: GitLabJob, keys: Sequence[_Key], other: GitLabJob) -> GitLabJob:
    """Return *job* with the fields of *keys* from the *other* job."""
    fields = {name: _field(other, name) for key in keys for name in _FIELDS.get(key.key, ())}
    limits = {name: fields.pop(name) for name in _LIMITS if name in fields}
    return replace(job, **fields, limits=replace(job.limits, **limits)) if limits else replace(job, **fields)


def _field(job: GitLabJob, name: str) -> object:
    """Return the field of *job* with the *name*, which may be one of its limits."""
    return getattr(job.limits if name in _LIMITS else job, name)


def _archive_name(job: GitLabJob) -> tuple[Data, ...]:
    """Return the name of the archive of *job*, in raw keys or else in its own; nothing without one."""
    raw = job.raw.get("artifacts", {})
    if not isinstance(raw, dict):
        return ()
    return (raw["name"],) if "name" in raw else (job.artifact_keys.name,) if job.artifact_keys.name else ()


def _without_archive_name(job: GitLabJob) -> GitLabJob:
    """Return *job* without the name of its archive."""
    if not _archive_name(job):
        return job
    raw, artifacts = dict(job.raw), job.raw.get("artifacts")
    if isinstance(artifacts, dict):
        raw["artifacts"] = {key: value for key, value in artifacts.items() if key != "name"}
        if not raw["artifacts"]:
            del raw["artifacts"]
    return replace(job, artifact_keys=replace(job.artifact_keys, name=""), raw=raw)


def _with_archive_name(job: GitLabJob, name: tuple[Data, ...]) -> GitLabJob:
    """Return *job* with the *name* of its archive, if any, also if it has no other keys of `artifacts`."""
    own = job.raw.get("artifacts")
    if not name:
        return job
    if own is None and job.artifacts and isinstance(name[0], str):
        return replace(job, artifact_keys=replace(job.artifact_keys, name=name[0]))
    artifacts: dict[str, Data] = {"name": name[0], **(own if isinstance(own, dict) else {})}
    return replace(job, raw={**job.raw, "artifacts": artifacts})


def _raw(job: GitLabJob, keys: Sequence[_Key], *, are_kept: bool) -> dict[str, Data]:
    """Return the raw keys of *job* that are among *keys*, or the others unless these *are_kept*."""
    names = {key.key for key in keys if key.raw and not key.variable}
    raw = {name: value for name, value in job.raw.items() if name != "variables" and (name in names) is are_kept}
    variables = job.raw.get("variables")
    if isinstance(variables, dict):
        own = {name: value for name, value in variables.items() if _has_variable(keys, name) is are_kept}
        return {**raw, "variables": own} if own else raw
    return {**raw, "variables": variables} if "variables" in job.raw and not are_kept else raw


def _has_variable(keys: Sequence[_Key], name: str) -> bool:
    return any(key.variable == name for key in keys)


def _move_to_fewer(groups: dict[tuple[str, ...], list[_Key]], jobs: Mapping[str, GitLabJob]) -> None:
    """Move keys in *groups* of *jobs* to other keys of all these jobs but one, where both then are in one hidden job.

    The other job has them itself, which takes no more lines than a second hidden job would.
    """
    by_size: dict[int, list[tuple[str, ...]]] = {}
    for sharing in groups:
        by_size.setdefault(len(sharing), []).append(sharing)
    for sharing, keys in [*groups.items()]:
        if _line_count(_only(jobs[sharing[0]], keys)) > _MOST_REPEATED:
            continue
        for fewer in by_size.get(len(sharing) - 1, ()):
            # Both are in the order of the file, so the first is one of the first two.
            if fewer[0] in sharing[:2] and fewer in groups and {*fewer} < {*sharing}:
                others = groups[fewer]
                if _is_worthwhile([jobs[name] for name in fewer], others):
                    others.extend(keys)
                    del groups[sharing]
                    break


def _with_keys_of_more(
    groups: Mapping[tuple[str, ...], list[_Key]], jobs: Mapping[str, GitLabJob]
) -> dict[tuple[str, ...], list[_Key]]:
    """Return *groups* of *jobs* with short keys that more jobs share, where those alone are not worth a hidden job.

    The other jobs have these keys themselves.
    """
    lengths = {sharing: _line_count(_only(jobs[sharing[0]], keys)) for sharing, keys in groups.items()}
    remaining = {
        sharing: {*sharing}
        for sharing, keys in groups.items()
        if lengths[sharing] <= _MOST_REPEATED
        and _OF_WORK.isdisjoint(key.key for key in keys)
        and not _is_worthwhile([jobs[name] for name in sharing], keys)
    }
    by_member: dict[str, list[tuple[str, ...]]] = {}
    for sharing in remaining:
        for name in sharing:
            by_member.setdefault(name, []).append(sharing)
    extended: dict[tuple[str, ...], list[_Key]] = {}
    # Groups that are worth a hidden job take keys first, then those that save most with keys of more jobs.
    for sharing in sorted(groups, key=lambda each: (each in remaining, -len(each) * lengths[each])):
        own = {*sharing}
        sources = [each for each in by_member.get(sharing[0], ()) if each != sharing and own <= remaining[each]]
        keys = [*groups[sharing], *(key for each in sources for key in groups[each])]
        is_whole = remaining.get(sharing, own) == own
        if sharing not in remaining or (is_whole and _is_worthwhile([jobs[name] for name in sharing], keys)):
            extended[sharing] = keys
            for each in (*sources, *([sharing] if sharing in remaining else ())):
                remaining[each] -= own
    return {sharing: extended[sharing] for sharing in groups if sharing in extended}


def _frequent_keys(members: Sequence[GitLabJob]) -> Iterator[_Key]:
    """Yield keys that all *members* have, with the value of most of them, which those of the others replace as a whole.

    The members must not get values of these keys from their pipeline.
    """
    for key in _REPLACED:
        values = [_field(job, key) for job in members]
        if not all(values) or any(key in job.raw or job.keys_from for job in members):
            continue
        if any(isinstance(value, ImageKeys) and not value.is_plain for value in values):
            continue
        ((value, count),) = Counter(values).most_common(1)
        if count > 1:
            yield _Key(key, (value,))


def _repeated_lines(members: Sequence[GitLabJob], keys: Sequence[_Key]) -> int:
    """Return the lines of *keys* in *members*, but for those of their hidden job."""
    return sum(len(_own(job, keys)) for job in members) - len(keys)


def _is_worthwhile(members: Sequence[GitLabJob], keys: Sequence[_Key]) -> bool:
    """Return whether a hidden job with *keys* of *members* saves lines; jobs with archives of their own may not."""
    hidden = _only(_without_archive_name(members[0]), keys)
    others = [key for key in _frequent_keys(members) if key not in keys]
    saved = _saved_lines(hidden, keys, members) + _repeated_lines(members, others)
    return not _has_archives(keys) and saved >= LEAST_SAVED_LINES


def _saved_lines(hidden: GitLabJob, keys: Sequence[_Key], members: Sequence[GitLabJob]) -> int:
    """Return the lines that *members* save if they extend *hidden*, which has *keys*.

    Members that also have other variables repeat the line `variables`.
    """
    lines = _line_count(hidden)
    has_variables = any(key.variable for key in keys)
    repeated = sum(_keeps_variables(job, keys) for job in members) if has_variables else 0
    return saved_lines(lines, len(members)) - repeated


def _keeps_variables(job: GitLabJob, keys: Sequence[_Key]) -> bool:
    """Return whether *job* has other variables than those of *keys*."""
    raw = job.raw.get("variables")
    names = (*(variable.name for variable in job.variables), *(raw if isinstance(raw, dict) else ()))
    return not all(_has_variable(keys, name) for name in names)


def _line_count(hidden: GitLabJob) -> int:
    """Return the number of lines of the keys of *hidden*."""
    _, *lines = write({hidden.name: job_data(hidden, script_data(hidden.script))}).splitlines()
    return sum(1 + len(line) // _LINE for line in lines)
