"""The security page names existing tests, and its claim about commit messages, which no other test covers, holds."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "security.md").read_text("utf-8")
NAMED = sorted(set(re.findall(r"`?(tests/[\w/]+\.py)\b", PAGE)))
GENERATED = sorted(
    path for path in (ROOT / "tests" / "golden").glob("*/expected/*") if path.name in {"Jenkinsfile", "gitlab-ci.yml"}
)


def test_files_named_on_the_page_contain_tests() -> None:
    """A script that prints figures can be run instead."""
    texts = {path: (ROOT / path).read_text("utf-8") for path in NAMED}
    starts = ("\ndef test_", '\nif __name__ == "__main__":')

    assert [path for path, text in texts.items() if not any(start in text for start in starts)] == []


def test_each_claim_names_a_test() -> None:
    """The last column of the tables of inputs and claims."""
    rows = [
        row
        for row in PAGE.partition("## Test campaigns")[0].splitlines()
        if row.startswith("|") and not row.startswith(("|--", "| input", "| claim"))
    ]

    assert len(rows) > 30
    assert [row for row in rows if not re.search(r"`tests/[^|]*` \|$", row)] == []


def test_generated_files_do_not_read_commit_messages() -> None:
    """Nor titles of merge requests; only a rule that the user writes for GitLab may."""
    read = re.compile(r"COMMIT_(?:MESSAGE|TITLE|DESCRIPTION)|CHANGE_TITLE|MERGE_REQUEST_(?:TITLE|DESCRIPTION)")
    names = {path.parents[1].name for path in GENERATED if read.search(path.read_text("utf-8"))}
    users = {
        name for name in names if read.search((ROOT / "tests" / "golden" / name / "pipeline.yml").read_text("utf-8"))
    }

    assert len(GENERATED) > 60
    assert names == users
