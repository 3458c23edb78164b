"""Caches that are never restored."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipegen.bindings.expression import Bare, Scope, Text
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.lint.base import CheckedConfig
from pipegen.plan.model import Cache, CachePolicy

# Values that change with each run or commit.
_SETUP = ("commit", "shortCommit", "run", "timestamp", "logURL")
_VARIABLES = (
    r"\$\{?(CI_COMMIT_SHA|CI_COMMIT_SHORT_SHA|CI_COMMIT_TIMESTAMP|CI_PIPELINE_I?ID|CI_JOB_ID|CI_PIPELINE_CREATED_AT"
    r"|CI_JOB_STARTED_AT|GIT_COMMIT|BUILD_ID|BUILD_NUMBER|BUILD_TAG|BUILD_URL)\b"
)


def check(config: CheckedConfig, report: Report) -> None:
    """Report keys that change with each run or commit, and caches that are restored but never saved."""
    saved = {
        _identity(cache)
        for stage in config.stages()
        for cache in stage.job.caches
        if cache.policy is not CachePolicy.PULL
    }
    for stage in config.stages():
        for cache in stage.job.caches:
            changing = next(_changing(cache.key), None)
            if changing is not None and all(any(_changing(fallback)) for fallback in cache.fallback):
                report.add(
                    codes.CACHE_NEVER_HITS,
                    f'later runs cannot find this cache: "{changing}" in its key changes',
                    at=cache.key.span,
                    hint="build the key from the files that the cache depends on: key: { files: [package-lock.json] }",
                )
            elif cache.policy is CachePolicy.PULL and _identity(cache) not in saved and not cache.fallback:
                report.add(
                    codes.CACHE_NEVER_HITS,
                    "no stage saves this cache: every stage with its key only restores it",
                    at=cache.span,
                    hint='give the stage that fills it the same key, without "policy: pull"',
                )


def _identity(cache: Cache) -> tuple[Text, tuple[str, ...]]:
    return cache.key, cache.files


def _changing(key: Text) -> Iterator[str]:
    """Yield the parts of *key* that change with each run or commit."""
    for part in key.parts:
        if isinstance(part, str):
            yield from (match[0] for match in re.finditer(_VARIABLES, part))
        elif isinstance(part, Bare):
            yield from (match[0] for match in re.finditer(_VARIABLES, part.source))
    for reference in key.references():
        if reference.scope is Scope.SETUP and reference.name in _SETUP:
            yield str(reference)
