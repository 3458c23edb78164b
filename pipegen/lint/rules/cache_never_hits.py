"""Caches that bring nothing back."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipegen.bindings.expression import Bare, Scope, Text
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.lint.base import Checked
from pipegen.plan.model import Cache, CachePolicy

# What is new in each run, or with each commit.
_SETUP = ("commit", "timestamp", "logURL")
_VARIABLES = (
    r"\$\{?(CI_COMMIT_SHA|CI_COMMIT_SHORT_SHA|CI_COMMIT_TIMESTAMP|CI_PIPELINE_I?ID|CI_JOB_ID|CI_PIPELINE_CREATED_AT"
    r"|CI_JOB_STARTED_AT|GIT_COMMIT|BUILD_ID|BUILD_NUMBER|BUILD_TAG|BUILD_URL)\b"
)


def check(checked: Checked, report: Report) -> None:
    """Report keys that no later run has, and caches that are read and never left."""
    left = {
        _identity(cache) for work in checked.work() for cache in work.job.caches if cache.policy is not CachePolicy.PULL
    }
    for work in checked.work():
        for cache in work.job.caches:
            changing = next(_changing(cache.key), None)
            if changing is not None and not any(True for one in cache.fallback if next(_changing(one), None) is None):
                report.add(
                    codes.CACHE_NEVER_HITS,
                    f'no later run finds this cache: "{changing}" in its key is another one then',
                    at=cache.key.span,
                    hint="name in the key what the files depend on: key: { files: [package-lock.json] }",
                )
            elif cache.policy is CachePolicy.PULL and _identity(cache) not in left and not cache.fallback:
                report.add(
                    codes.CACHE_NEVER_HITS,
                    "no stage leaves this cache: each one with its key only takes it",
                    at=cache.span,
                    hint='let the stage that fills it have the same key, and no "policy: pull"',
                )


def _identity(cache: Cache) -> tuple[Text, tuple[str, ...]]:
    return cache.key, cache.files


def _changing(key: Text) -> Iterator[str]:
    """Yield what in *key* is new in each run."""
    for part in key.parts:
        if isinstance(part, str):
            yield from (found[0] for found in re.finditer(_VARIABLES, part))
        elif isinstance(part, Bare):
            yield from (found[0] for found in re.finditer(_VARIABLES, part.source))
    for reference in key.references():
        if reference.scope is Scope.SETUP and reference.name in _SETUP:
            yield str(reference)
