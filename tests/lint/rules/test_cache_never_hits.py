"""Caches that are never restored."""

from __future__ import annotations

import pytest
from lint.findings import findings, stages

from pipegen.lint.rules.cache_never_hits import check


@pytest.mark.parametrize(
    ("cache", "is_tested"),
    [
        ("{key: 'npm-${setup.commit}', paths: [x]}", True),
        ("{key: '${setup.timestamp}', paths: [x]}", True),
        ("{key: '${setup.commit}', paths: [x], fallback: ['npm-${setup.commit}']}", True),
        ("{key: '${setup.commit}', paths: [x], fallback: [npm]}", False),
        ("{key: '${setup.branch}', paths: [x]}", False),
        ("{key: {files: [lock]}, paths: [x]}", False),
        ("{paths: [x]}", False),
        ("{key: npm, paths: [x], policy: pull}", True),
        ("{key: npm, paths: [x], policy: push}", False),
    ],
)
def test_keys_and_policies_that_never_hit(cache: str, is_tested: bool) -> None:  # noqa: FBT001 - a table
    """The key is different in each run, or no stage stores the cache."""
    assert bool(findings(check, stages(f"{{name: a, script: [ls], cache: {cache}}}"))) is is_tested


def test_a_cache_that_another_stage_stores_is_not_reported() -> None:
    """The other stage has the same key and may be in any pipeline of the file."""
    text = stages(
        "{name: a, script: [ls], cache: {key: npm, paths: [x]}}",
        "{name: b, script: [ls], cache: {key: npm, paths: [x], policy: pull}}",
    )

    assert findings(check, text) == []
