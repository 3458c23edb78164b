"""Expressions of rules mean the same in the config."""

from __future__ import annotations

from pathlib import Path

import pytest
from importing.samples import from_text, messages

from pipegen.importing.gitlab.proof import prove


@pytest.mark.parametrize("pattern", ["/^full-/", "'/^full-/'", "'/^full-/i'", "'/a/b/'"])
def test_a_text_with_slashes_is_a_regular_expression(pattern: str, tmp_path: Path) -> None:
    """GitLab evaluates the text after `=~` as it does the value of a variable."""
    rules = f'[{{ if: "$LEVEL =~ {pattern}" }}, {{ if: "$CI_COMMIT_BRANCH !~ {pattern}", when: manual }}]'
    result, report = from_text(f"unit: {{ script: make, rules: {rules} }}\n", tmp_path)
    proof = prove(result, "main")

    assert messages(report) == ""
    assert proof is not None
    assert proof.differences == ()
