"""`default`: the keys that most jobs share, written once.

Facts, of https://docs.gitlab.com/ci/yaml/#default where no other source is stated:

- A key of a job replaces that of `default` as a whole. A job without the key writes the empty value, or does not
  inherit the key.
- GitLab ignores a `timeout` there (gitlab-org/gitlab#213634), so each job has its own.
- A job that starts another pipeline gets `interruptible` (`Ci::Config::Entry::Bridge`), and no other of these keys.
- Jobs of included files get the keys too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TypeVar

from pipegen.structs import replace
from pipegen.targets.gitlab.condensed.scripts import line_count, shared_script
from pipegen.targets.gitlab.jobs.hidden_jobs import with_tools
from pipegen.targets.gitlab.jobs.raw import removed
from pipegen.targets.gitlab.model import NO_DEFAULTS, DefaultKeys, Document, GitLabJob, Hidden

T = TypeVar("T")

# A job without these keys writes their empty values.
_WITH_EMPTY_VALUE = ("cache", "interruptible", "retry", "before_script", "after_script")
CACHE_LINES = 3
# The lines of an empty `default`.
_EXTRA_LINES = 2


def with_defaults(document: Document, *, has_scripts: bool) -> Document:
    """Return *document* with the keys that most jobs share in `default`, and without them in these jobs.

    The keys include scripts if it *has_scripts*.
    """
    if any("inherit" in job.raw for job in document.jobs):
        return document
    hidden, base_jobs = document.hidden_by_name(), document.base_jobs()
    stage_jobs = [job for job in base_jobs if job.runs_stage]
    values = {job.name: _values(job, hidden.get(job.extends), has_scripts=has_scripts) for job in stage_jobs}
    own = [_values(job, None, has_scripts=has_scripts) for job in stage_jobs] if hidden else [*values.values()]
    defaults = _shared_values(own, tuple(values.values()))
    # Tags of the settings are there already, and jobs of other files could lack a runner with new ones.
    if document.tags or document.external:
        defaults = replace(defaults, tags=())
    # A helper that extends another needs no line of its own.
    others = len(base_jobs) - len(stage_jobs)
    if _saved_lines(defaults, own, tuple(values.values())) <= _EXTRA_LINES + others:
        return document
    base_names = {job.name for job in base_jobs}
    users = tuple(key for key, value in (("tags", document.tags), ("id_tokens", document.id_tokens)) if value)
    shared = [key for key, value in defaults.as_map().items() if value]
    return replace(
        document,
        defaults=defaults,
        # A job that extends another gets the keys from that one.
        jobs=tuple(
            _job(job, values.get(job.name), defaults, shared, users) if job.name in base_names else job
            for job in document.jobs
        ),
    )


def with_default_tools(document: Document) -> Document:
    """Return *document* with its hidden job in `default` and in the variables of the file, if all jobs extend it.

    Jobs of the user's own included files do not need these tools.
    """
    defaults = document.defaults
    if len(document.hidden) != 1 or document.external:
        return document
    if defaults.image is not None or defaults.services or defaults.before_script or defaults.after_script:
        return document
    (hidden,) = document.hidden
    names = {variable.name for variable in document.variables}
    if any(job.extends != hidden.name or "inherit" in job.raw for job in document.jobs) or any(
        variable.name in names for variable in hidden.variables
    ):
        return document
    return replace(
        document,
        hidden=(),
        variables=(*document.variables, *hidden.variables),
        defaults=replace(
            defaults,
            image=hidden.image,
            services=hidden.services,
            before_script=hidden.before_script,
            after_script=hidden.after_script,
        ),
        jobs=tuple(replace(job, extends="") for job in document.jobs),
    )


def _values(job: GitLabJob, hidden: Hidden | None, *, has_scripts: bool) -> DefaultKeys:
    """Return the values of the keys in *job*, which extends *hidden*; those of scripts if it *has_scripts*."""
    job = with_tools(job, hidden)
    return DefaultKeys(
        image=job.image,
        services=job.services,
        tags=job.tags,
        retry=job.limits.retry,
        interruptible=job.interruptible,
        cache=job.caches,
        before_script=job.before_script if has_scripts else (),
        after_script=job.after_script if has_scripts else (),
    )


def _shared_values(own: Sequence[DefaultKeys], values: Sequence[DefaultKeys]) -> DefaultKeys:
    """Return the values in *own* that most jobs share; *values* include those of hidden jobs."""
    return DefaultKeys(
        image=_shared([each.image for each in own], [each.image for each in values], None),
        services=_shared([each.services for each in own], [each.services for each in values], ()),
        tags=_shared([each.tags for each in own], [each.tags for each in values], ()),
        retry=_shared([each.retry for each in own], [each.retry for each in values], None),
        interruptible=_shared(
            [each.interruptible for each in own], [each.interruptible for each in values], empty=False
        ),
        cache=_shared([each.cache for each in own], [each.cache for each in values], (), CACHE_LINES),
        before_script=shared_script([each.before_script for each in own], [each.before_script for each in values]),
        after_script=shared_script([each.after_script for each in own], [each.after_script for each in values]),
    )


def _shared(own: Sequence[T], values: Sequence[T], empty: T, lines: int = 1) -> T:
    """Return the value in *own* that most jobs have for a key of so many *lines*, if it saves some; else *empty*."""
    if not any(own):
        return empty
    ((value, count),) = Counter(own).most_common(1)
    lacking = values.count(empty)
    return value if 2 * count > len(own) and (count - 1) * lines > lacking else empty


def _saved_lines(defaults: DefaultKeys, own: Sequence[DefaultKeys], values: Sequence[DefaultKeys]) -> int:
    """Return the lines that *defaults* save in jobs; each helper and bridge needs one more."""
    saved = 0
    for key, value in defaults.as_map().items():
        if value:
            repeated = sum(getattr(each, key) == value for each in own)
            saved += (repeated - 1) * _lines(key, defaults) - sum(not getattr(each, key) for each in values)
    return saved


def _lines(key: str, defaults: DefaultKeys) -> int:
    """Return the lines of the *key* of *defaults*."""
    match key:
        case "cache":
            return CACHE_LINES
        case "before_script":
            return line_count(defaults.before_script)
        case "after_script":
            return 1 + line_count(defaults.after_script)
    return 1


def _job(
    job: GitLabJob, values: DefaultKeys | None, defaults: DefaultKeys, shared: Sequence[str], users: tuple[str, ...]
) -> GitLabJob:
    """Return *job*, which has *values*, with the keys that differ from *defaults*; helpers get only those of *users*.

    *shared* are the keys with a value in *defaults*.
    """
    if job.trigger is not None:
        return replace(job, inherited=()) if defaults.interruptible else job
    if values is None:
        return job if job.inherited is not None else replace(job, inherited=users)
    without = removed(job.raw)
    lacking = [key for key in shared if key in without or not (getattr(values, key) or key in job.raw)]
    job = _without_repeated(job, defaults)
    if not lacking:
        return job
    inherited = job.inherited
    if any(key not in _WITH_EMPTY_VALUE or key in without for key in lacking):
        inherited = tuple(key for key in (*users, *shared) if key not in lacking and not _has_own(job, key))
        lacking = []
    return replace(job, emptied=tuple(lacking), inherited=inherited)


def _has_own(job: GitLabJob, key: str) -> bool:
    """Return whether *job* has a value that replaces that of `default` for the *key*."""
    return key != "id_tokens" and bool(_values(job, None, has_scripts=True).as_map().get(key))


def _without_repeated(job: GitLabJob, defaults: DefaultKeys) -> GitLabJob:
    """Return *job* without the keys that it shares with *defaults*, except those with which raw keys are merged.

    It keeps all keys if a raw `extends` may replace those of `default`.
    """
    if "extends" in job.raw:
        return job
    if job.raw:
        defaults = replace(defaults, **{key: value for key, value in NO_DEFAULTS.as_map().items() if key in job.raw})
    limits = job.limits
    if limits.retry is not None and limits.retry == defaults.retry:
        limits = replace(limits, retry=None)
    return replace(
        job,
        image=None if job.image == defaults.image else job.image,
        services=() if job.services == defaults.services else job.services,
        tags=() if job.tags == defaults.tags else job.tags,
        limits=limits,
        interruptible=job.interruptible and not defaults.interruptible,
        caches=() if job.caches == defaults.cache else job.caches,
        before_script=() if job.before_script == defaults.before_script else job.before_script,
        after_script=() if job.after_script == defaults.after_script else job.after_script,
    )
