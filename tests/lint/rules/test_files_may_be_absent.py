"""Files in `files_from` that may be missing."""

from __future__ import annotations

import pytest
from lint.findings import findings, stages

from pipegen.lint.rules.files_may_be_absent import check


@pytest.mark.parametrize(
    ("maker", "reader", "is_tested"),
    [
        ("when: {branch: main}", "files_from: [a]", True),
        ("allow_failure: true", "files_from: [a]", True),
        ("when: {branch: main}", "files_from: [a], when: {branch: main}", False),
        ("when: {branch: main}", "files_from: [a], when: {branch: main, event: push}", False),
        ("allow_failure: false", "files_from: [a]", False),
        ("when: {branch: main}", "env: {X: '1'}", False),
        ("env: {X: '1'}", "files_from: [a]", False),
    ],
)
def test_files_of_a_stage_that_may_be_skipped_or_fail(maker: str, reader: str, is_tested: bool) -> None:  # noqa: FBT001 - a table
    """A stage without `files_from` uses the files that exist."""
    text = stages(f"{{name: a, {maker}, script: [ls], artifacts: [x]}}", f"{{name: b, {reader}, script: [ls]}}")

    assert findings(check, text) == ([(5, "a")] if is_tested else [])


def test_a_finally_stage_is_not_reported() -> None:
    """It runs after any result, so it has to handle missing files anyway."""
    text = stages(
        "{name: a, when: {branch: main}, script: [ls], artifacts: [x]}",
        "{name: b, script: [ls]}",
        "{name: c, script: [ls], files_from: [a]}",
        pipeline="finally: [c]",
    )

    assert findings(check, text) == []
