"""How GitLab keeps files for later runs."""

from __future__ import annotations

from pipegen.bindings.expression import Text
from pipegen.diagnostics.codes import TOO_MANY_CACHES
from pipegen.diagnostics.report import Report
from pipegen.patterns import rare_pattern
from pipegen.plan import model as plan
from pipegen.structs import replace
from pipegen.targets.gitlab.expanded import expanded
from pipegen.targets.gitlab.model import Cache

# https://docs.gitlab.com/ci/yaml/#cache, #cachekeyfiles
_MOST_CACHES = 4
_MOST_FILES = 2
_NOT_IN_NAMES = rare_pattern(r"[^A-Za-z0-9._-]")
_WHAT = "the key of a cache"


def lower_caches(job: plan.Job, of: plan.Plan, report: Report) -> tuple[Cache, ...]:
    """Return the caches of *job*; more than GitLab takes are reported."""
    if len(job.caches) > _MOST_CACHES:
        report.add(
            TOO_MANY_CACHES,
            f'stage "{job.title}" has {len(job.caches)} caches, and GitLab takes {_MOST_CACHES}',
            at=job.caches[_MOST_CACHES].span,
            hint="keep several paths in one cache",
        )
    return tuple(_cache(one, of, report) for one in job.caches)


def _cache(cache: plan.Cache, of: plan.Plan, report: Report) -> Cache:
    if len(cache.files) > _MOST_FILES:
        report.add(
            TOO_MANY_CACHES,
            f"the key of a cache is made of {len(cache.files)} files, and GitLab takes {_MOST_FILES}",
            at=cache.span,
            hint="name the files that change with all others, such as a lock file",
        )
    return Cache(
        key=_key(cache.key, of, report),
        files=cache.files,
        paths=cache.paths,
        policy="" if cache.policy is plan.Policy.PULL_PUSH else cache.policy.value,
        fallback_keys=tuple(_key(one, of, report) for one in cache.fallback),
    )


def _key(key: Text, of: plan.Plan, report: Report) -> str:
    """Return *key* as part of a path: what means something there is made `-`, as on other engines."""
    parts = tuple(_NOT_IN_NAMES.sub("-", part) if isinstance(part, str) else part for part in key.parts)
    return expanded(replace(key, parts=parts), _WHAT, of, report, is_slug=True)
