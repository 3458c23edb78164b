"""Files for nobody."""

from __future__ import annotations

import pytest
from lint.findings import stages, told

from pipegen.lint.rules.idle_artifacts import check


@pytest.mark.parametrize(
    ("artifacts", "reader", "is_told"),
    [
        ("{paths: [x], keep: false}", "{name: b, script: [ls], files_from: []}", True),
        ("{paths: [x], keep: false}", "{name: b, exports: {x: '1'}}", True),
        ("{paths: [x], keep: false}", "{name: b, script: [ls]}", False),
        ("{paths: [x]}", "{name: b, script: [ls], files_from: []}", False),
        ("[x]", "{name: b, script: [ls], files_from: []}", False),
    ],
)
def test_artifacts(artifacts: str, reader: str, is_told: bool) -> None:  # noqa: FBT001 - a table
    """People do not get them, and no stage does; or somebody does."""
    text = stages(f"{{name: a, script: [ls], artifacts: {artifacts}}}", reader)

    assert told(check, text) == ([(4, "artifacts")] if is_told else [])


def test_one_workspace_is_seen_by_all() -> None:
    """There, files need not travel."""
    text = stages(
        "{name: a, script: [ls], artifacts: {paths: [x], keep: false}}",
        "{name: b, script: [ls], files_from: []}",
        pipeline="workspace: shared",
    )

    assert told(check, text) == []
