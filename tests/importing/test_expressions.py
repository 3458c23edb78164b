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


def test_what_all_alternatives_of_a_condition_have_in_common_is_written_once(tmp_path: Path) -> None:
    """Rules cannot say it in another way."""
    tests = ('$CI_PIPELINE_SOURCE == "merge_request_event"', '$CI_COMMIT_BRANCH == "main"')
    rules = ", ".join(f"{{ if: '{test}', changes: [infra/**/*] }}" for test in tests)
    result, _ = from_text(f"unit: {{ script: make, rules: [{rules}] }}\n", tmp_path)
    proof = prove(result, "main")

    assert "when: { changes: infra/**, any: [{ event: merge_request }, { branch: main }] }" in result.text
    assert proof is not None
    assert proof.differences == ()
