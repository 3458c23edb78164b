"""Files that GitLab stores for later runs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipegen.bindings.expression import Part, Reference, Scope, Text
from pipegen.diagnostics.codes import TOO_MANY_CACHES, UNSAFE_CACHE_KEY
from pipegen.diagnostics.report import Report
from pipegen.plan import model as plan
from pipegen.structs import replace
from pipegen.targets.gitlab.jobs.retention import RESULTS
from pipegen.targets.gitlab.jobs.values.expanded_texts import expanded
from pipegen.targets.gitlab.model import CacheEntry

# https://docs.gitlab.com/ci/yaml/#cache, #cachekeyfiles
_MOST_CACHES = 4
_MOST_FILES = 2
_NOT_IN_NAMES = r"[^A-Za-z0-9._-]"
_IN_NAMES = re.compile(r"[A-Za-z0-9._-]")
# Setup values that contain only letters, digits, ".", "_" and "-" on GitLab, or that pipegen knows; a branch is a slug.
_SAFE = frozenset({"branch", "commit", "shortCommit", "changeRequest", "GIT_COMMIT", "pipeline", "projectShortName"})
# https://docs.gitlab.com/ci/variables/predefined_variables/: numbers, hexadecimal digits, and slugs.
_SAFE_PARAMETER = re.compile(r"params\.CI_(?:\w+_(?:SLUG|I?ID|SHA)|NODE_INDEX|NODE_TOTAL)")
_USE = "the key of a cache"


def lower_caches(job: plan.Job, pipeline: plan.Plan, report: Report) -> tuple[CacheEntry, ...]:
    """Return the caches of *job*; more than GitLab allows are reported."""
    if len(job.caches) > _MOST_CACHES:
        report.add(
            TOO_MANY_CACHES,
            f'stage "{job.title}" has {len(job.caches)} caches; GitLab allows {_MOST_CACHES}',
            at=job.caches[_MOST_CACHES].span,
            hint="put several paths into one cache",
        )
    return tuple(_cache(cache, pipeline, report) for cache in job.caches)


def _cache(cache: plan.Cache, pipeline: plan.Plan, report: Report) -> CacheEntry:
    if len(cache.files) > _MOST_FILES:
        report.add(
            TOO_MANY_CACHES,
            f"the cache key depends on {len(cache.files)} files; GitLab allows {_MOST_FILES}",
            at=cache.span,
            hint="name files that change with all others, such as a lock file",
        )
    return CacheEntry(
        key=_key(cache.key, pipeline, report),
        files=cache.files,
        paths=cache.paths,
        policy="" if cache.policy is plan.CachePolicy.PULL_PUSH else cache.policy.value,
        when=RESULTS[cache.when],
        fallback_keys=tuple(_key(key, pipeline, report) for key in cache.fallback),
    )


def _key(key: Text, pipeline: plan.Plan, report: Report) -> str:
    """Return *key* as a part of a path: characters with a meaning there become `-`, as on other engines."""
    for reference in key.references():
        if not _is_safe(reference, pipeline) or _may_be_dots(key, pipeline):
            _report_unsafe(reference, report)
    parts = tuple(
        re.sub(_NOT_IN_NAMES, "-", part) if isinstance(part, str) else part
        for part in _with_pipeline_name(key, pipeline)
    )
    return expanded(replace(key, parts=parts), _USE, pipeline, report, is_slug=True)


def _with_pipeline_name(key: Text, pipeline: plan.Plan) -> Iterator[Part]:
    """Yield the parts of *key* with the name of the pipeline inserted."""
    for part in key.parts:
        is_pipeline = isinstance(part, Reference) and (part.scope, part.name) == (Scope.SETUP, "pipeline")
        yield pipeline.name if is_pipeline else part


def _is_safe(reference: Reference, pipeline: plan.Plan) -> bool:
    """Return whether the value of *reference* is certainly allowed in a name: GitLab does not change it."""
    if reference.scope is Scope.SETUP:
        return reference.name in _SAFE or _SAFE_PARAMETER.fullmatch(reference.name) is not None
    return reference.scope is not Scope.INPUT or _input(reference, pipeline).consists_of(_IN_NAMES)


def _may_be_dots(key: Text, pipeline: plan.Plan) -> bool:
    """Return whether *key* may be "." or "..", which GitLab rejects."""
    if any(part.strip(".") if isinstance(part, str) else not _is_input(part) for part in key.parts):
        return False
    inputs = [_input(part, pipeline) for part in key.parts if isinstance(part, Reference)]
    return all(any(map(input_.accepts, ("", ".", ".."))) for input_ in inputs)


def _is_input(part: Part) -> bool:
    return isinstance(part, Reference) and part.scope is Scope.INPUT


def _input(reference: Reference, pipeline: plan.Plan) -> plan.Input:
    return next(input_ for input_ in pipeline.inputs if input_.name == reference.name)


def _report_unsafe(reference: Reference, report: Report) -> None:
    report.add(
        UNSAFE_CACHE_KEY,
        f'GitLab puts "{reference}" into the cache key unchanged, and its value may contain forbidden characters',
        at=reference.span,
        hint="use ${setup.commit}, ${setup.branch} or ${setup.projectShortName}"
        if reference.scope is Scope.SETUP
        else 'limit the input, by choices or a pattern, to letters, digits, ".", "_" and "-"',
    )
