"""The security page names tests that exist; its claim about commit messages, which no other test covers, is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "security.md").read_text("utf-8")
NAMED = sorted(set(re.findall(r"`?(tests/[\w/]+\.py)\b", PAGE)))
GENERATED = sorted(
    path for path in (ROOT / "tests" / "golden").glob("*/expected/*") if path.name in {"Jenkinsfile", "gitlab-ci.yml"}
)


@pytest.mark.parametrize("path", NAMED)
def test_a_test_that_is_named_exists(path: str) -> None:
    """A claim without a test would be one nobody can check; a program that prints figures can be started."""
    text = (ROOT / path).read_text("utf-8")

    assert "\ndef test_" in text or '\nif __name__ == "__main__":' in text


def test_each_claim_names_a_test() -> None:
    """Each row of the tables of inputs and claims has a test in its last column."""
    rows = [
        row
        for row in PAGE.partition("## Test campaigns")[0].splitlines()
        if row.startswith("|") and not row.startswith(("|--", "| input", "| claim"))
    ]

    assert len(rows) > 30
    assert [row for row in rows if not re.search(r"`tests/[^|]*` \|$", row)] == []


def test_commit_messages_stand_in_nothing_that_is_generated() -> None:
    """Nor what engines make of them; only a rule that the user writes for GitLab reads one."""
    read = re.compile(r"COMMIT_(?:MESSAGE|TITLE|DESCRIPTION)|CHANGE_TITLE|MERGE_REQUEST_(?:TITLE|DESCRIPTION)")
    found = {path.parents[1].name for path in GENERATED if read.search(path.read_text("utf-8"))}
    users = {
        name for name in found if read.search((ROOT / "tests" / "golden" / name / "pipeline.yml").read_text("utf-8"))
    }

    assert len(GENERATED) > 60
    assert found == users
