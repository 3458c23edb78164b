"""How GitLab keeps files for later runs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipegen.bindings.expression import Part, Reference, Scope, Text
from pipegen.diagnostics.codes import TOO_MANY_CACHES, UNSAFE_CACHE_KEY
from pipegen.diagnostics.report import Report
from pipegen.plan import model as plan
from pipegen.structs import replace
from pipegen.targets.gitlab.jobs.expanded_texts import expanded
from pipegen.targets.gitlab.model import CacheEntry

# https://docs.gitlab.com/ci/yaml/#cache, #cachekeyfiles
_MOST_CACHES = 4
_MOST_FILES = 2
_NOT_IN_NAMES = r"[^A-Za-z0-9._-]"
_IN_NAMES = re.compile(r"[A-Za-z0-9._-]")
# Of setup, what GitLab has in letters, digits, ".", "_" and "-", or pipegen knows: a branch is there as a slug.
_SAFE = frozenset({"branch", "commit", "GIT_COMMIT", "pipeline", "projectShortName"})
_WHAT = "the key of a cache"


def lower_caches(job: plan.Job, of: plan.Plan, report: Report) -> tuple[CacheEntry, ...]:
    """Return the caches of *job*; more than GitLab takes are reported."""
    if len(job.caches) > _MOST_CACHES:
        report.add(
            TOO_MANY_CACHES,
            f'stage "{job.title}" has {len(job.caches)} caches, and GitLab takes {_MOST_CACHES}',
            at=job.caches[_MOST_CACHES].span,
            hint="keep several paths in one cache",
        )
    return tuple(_cache(one, of, report) for one in job.caches)


def _cache(cache: plan.Cache, of: plan.Plan, report: Report) -> CacheEntry:
    if len(cache.files) > _MOST_FILES:
        report.add(
            TOO_MANY_CACHES,
            f"the key of a cache is made of {len(cache.files)} files, and GitLab takes {_MOST_FILES}",
            at=cache.span,
            hint="name the files that change with all others, such as a lock file",
        )
    return CacheEntry(
        key=_key(cache.key, of, report),
        files=cache.files,
        paths=cache.paths,
        policy="" if cache.policy is plan.CachePolicy.PULL_PUSH else cache.policy.value,
        fallback_keys=tuple(_key(one, of, report) for one in cache.fallback),
    )


def _key(key: Text, of: plan.Plan, report: Report) -> str:
    """Return *key* as part of a path: what means something there is made `-`, as on other engines."""
    for reference in key.references():
        if not _is_safe(reference, of) or _may_be_dots(key, of):
            _report_unsafe(reference, report)
    parts = tuple(re.sub(_NOT_IN_NAMES, "-", one) if isinstance(one, str) else one for one in _written(key, of))
    return expanded(replace(key, parts=parts), _WHAT, of, report, is_slug=True)


def _written(key: Text, of: plan.Plan) -> Iterator[Part]:
    """Yield the parts of *key* with the name of the pipeline written out."""
    for part in key.parts:
        is_pipeline = isinstance(part, Reference) and (part.scope, part.name) == (Scope.SETUP, "pipeline")
        yield of.name if is_pipeline else part


def _is_safe(reference: Reference, of: plan.Plan) -> bool:
    """Return whether what *reference* reads surely is part of a name as it is: GitLab changes nothing in it."""
    if reference.scope is Scope.SETUP:
        return reference.name in _SAFE
    return reference.scope is not Scope.INPUT or _input(reference, of).consists_of(_IN_NAMES)


def _may_be_dots(key: Text, of: plan.Plan) -> bool:
    """Return whether *key* may come to "." or "..", which GitLab refuses."""
    if any(part.strip(".") if isinstance(part, str) else not _is_input(part) for part in key.parts):
        return False
    inputs = [_input(part, of) for part in key.parts if isinstance(part, Reference)]
    return all(any(map(one.accepts, ("", ".", ".."))) for one in inputs)


def _is_input(part: Part) -> bool:
    return isinstance(part, Reference) and part.scope is Scope.INPUT


def _input(reference: Reference, of: plan.Plan) -> plan.Input:
    return next(one for one in of.inputs if one.name == reference.name)


def _report_unsafe(reference: Reference, report: Report) -> None:
    report.add(
        UNSAFE_CACHE_KEY,
        f'GitLab puts "{reference}" into the key of a cache as it is, and its values may hold what no key has',
        at=reference.span,
        hint="use ${setup.commit}, ${setup.branch} or ${setup.projectShortName}"
        if reference.scope is Scope.SETUP
        else 'give the input choices, or a pattern, of letters, digits, ".", "_" and "-"',
    )
