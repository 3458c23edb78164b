"""Artifacts that nothing uses."""

from __future__ import annotations

import pytest
from lint.findings import findings, stages

from pipegen.lint.rules.idle_artifacts import check


@pytest.mark.parametrize(
    ("artifacts", "reader", "is_tested"),
    [
        ("{paths: [x], keep: false}", "{name: b, script: [ls], files_from: []}", True),
        ("{paths: [x], keep: false}", "{name: b, exports: {x: '1'}}", True),
        ("{paths: [x], keep: false}", "{name: b, script: [ls]}", False),
        ("{paths: [x]}", "{name: b, script: [ls], files_from: []}", False),
        ("[x]", "{name: b, script: [ls], files_from: []}", False),
    ],
)
def test_artifacts_that_no_stage_uses(artifacts: str, reader: str, is_tested: bool) -> None:  # noqa: FBT001 - a table
    """They are not kept for users either."""
    text = stages(f"{{name: a, script: [ls], artifacts: {artifacts}}}", reader)

    assert findings(check, text) == ([(4, "artifacts")] if is_tested else [])


def test_artifacts_in_a_shared_workspace_are_not_reported() -> None:
    """All stages see the files there."""
    text = stages(
        "{name: a, script: [ls], artifacts: {paths: [x], keep: false}}",
        "{name: b, script: [ls], files_from: []}",
        pipeline="workspace: shared",
    )

    assert findings(check, text) == []
