"""Files asked for by name that may not be there."""

from __future__ import annotations

import pytest
from lint.findings import stages, told

from pipegen.lint.rules.files_may_be_absent import check


@pytest.mark.parametrize(
    ("maker", "reader", "is_told"),
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
def test_files_that_are_asked_for(maker: str, reader: str, is_told: bool) -> None:  # noqa: FBT001 - a table
    """Of a stage that may be skipped, or may fail; one that says nothing takes what is there."""
    text = stages(f"{{name: a, {maker}, script: [ls], artifacts: [x]}}", f"{{name: b, {reader}, script: [ls]}}")

    assert told(check, text) == ([(5, "a")] if is_told else [])


def test_a_finally_stage_takes_what_there_is() -> None:
    """It runs whatever happened, and knows that."""
    text = stages(
        "{name: a, when: {branch: main}, script: [ls], artifacts: [x]}",
        "{name: b, script: [ls]}",
        "{name: c, script: [ls], files_from: [a]}",
        pipeline="finally: [c]",
    )

    assert told(check, text) == []
