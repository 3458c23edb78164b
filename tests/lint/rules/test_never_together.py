"""References that always get their default."""

from __future__ import annotations

import pytest
from lint.findings import findings, stages

from pipegen.lint.rules.never_together import check


@pytest.mark.parametrize(
    ("first", "read", "is_tested"),
    [
        ("{branch: main}", "{tag: v}", True),
        ("{event: push}", "{event: schedule}", True),
        ("{branch: main}", "{branch: main, event: push}", False),
        ("{branch: main}", "{event: push}", False),
        ("{changes: ['a/**']}", "{changes: ['b/**']}", False),
    ],
)
def test_conditions_that_are_never_true_together(first: str, read: str, is_tested: bool) -> None:  # noqa: FBT001 - a table
    """Other conditions may both be true in some run."""
    text = stages(
        f"{{name: a, when: {first}, script: [ls], outputs: [x]}}",
        f"{{name: b, when: {read}, script: ['echo ${{a.x|none}}']}}",
    )

    assert bool(findings(check, text)) is is_tested


def test_a_stage_without_a_condition_is_not_reported() -> None:
    """It runs together with all others."""
    text = stages("{name: a, when: {tag: v}, script: [ls], outputs: [x]}", "{name: b, script: ['echo ${a.x|none}']}")

    assert findings(check, text) == []
