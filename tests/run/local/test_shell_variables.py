"""Variables of scripts in a local run."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from pipegen.run.local.checkout import LocalCheckout
from pipegen.run.local.conditions import RunContext
from pipegen.run.local.shell_variables import setup_values, status_variable


def test_stages_with_similar_names_have_distinct_status_variables() -> None:
    """A dash, an underscore, a dot and upper case make different names."""
    slugs = ("a-b", "a_b", "a.b", "A-B", "a--b", "ab", "")

    assert len({status_variable(slug) for slug in slugs}) == len(slugs)
    assert status_variable("a-b") == "PIPEGEN_STATUS_A_B"


def test_setup_values_of_a_manual_run(tmp_path: Path) -> None:
    """Without a repository, the default branch is main, and there is no change request."""
    context = RunContext(LocalCheckout(tmp_path), {}, {})
    names = ("event", "actor", "run", "changeRequest", "sourceBranch", "targetBranch", "defaultBranch", "shortCommit")
    values = setup_values(names, context, datetime(2025, 1, 31, tzinfo=UTC), {"USER": "jo"})

    assert values == {
        "PIPEGEN_PROJECT": tmp_path.name,
        "PIPEGEN_EVENT": "manual",
        "PIPEGEN_ACTOR": "jo",
        "PIPEGEN_NUMBER": "0",
        "PIPEGEN_CHANGE_REQUEST": "",
        "PIPEGEN_SOURCE_BRANCH": "",
        "PIPEGEN_TARGET_BRANCH": "",
        "PIPEGEN_DEFAULT_BRANCH": "main",
        "PIPEGEN_SHORT_COMMIT": "",
    }
