"""Reads that always come to the default."""

from __future__ import annotations

import pytest
from lint.findings import stages, told

from pipegen.lint.rules.never_together import check


@pytest.mark.parametrize(
    ("made", "read", "is_told"),
    [
        ("{branch: main}", "{tag: v}", True),
        ("{event: push}", "{event: schedule}", True),
        ("{branch: main}", "{branch: main, event: push}", False),
        ("{branch: main}", "{event: push}", False),
        ("{changes: ['a/**']}", "{changes: ['b/**']}", False),
    ],
)
def test_two_conditions(made: str, read: str, is_told: bool) -> None:  # noqa: FBT001 - a table
    """No run has both, or one may."""
    text = stages(
        f"{{name: a, when: {made}, script: [ls], outputs: [x]}}",
        f"{{name: b, when: {read}, script: ['echo ${{a.x|none}}']}}",
    )

    assert bool(told(check, text)) is is_told


def test_without_a_condition_nothing_is_told() -> None:
    """A stage that always runs meets all others."""
    text = stages("{name: a, when: {tag: v}, script: [ls], outputs: [x]}", "{name: b, script: ['echo ${a.x|none}']}")

    assert told(check, text) == []
