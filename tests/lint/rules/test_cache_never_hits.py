"""Caches that bring nothing back."""

from __future__ import annotations

import pytest
from lint.findings import stages, told

from pipegen.lint.rules.cache_never_hits import check


@pytest.mark.parametrize(
    ("cache", "is_told"),
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
def test_keys_and_policies(cache: str, is_told: bool) -> None:  # noqa: FBT001 - a table
    """What is new in each run, and what nobody leaves."""
    assert bool(told(check, stages(f"{{name: a, script: [ls], cache: {cache}}}"))) is is_told


def test_another_stage_leaves_it() -> None:
    """With the same key, in any pipeline of the file."""
    text = stages(
        "{name: a, script: [ls], cache: {key: npm, paths: [x]}}",
        "{name: b, script: [ls], cache: {key: npm, paths: [x], policy: pull}}",
    )

    assert told(check, text) == []
