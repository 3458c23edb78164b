"""What scripts find in a local run."""

from __future__ import annotations

from pipegen.run.local.shell_variables import status_variable


def test_statuses_of_stages_with_like_names_are_in_different_variables() -> None:
    """A dash, an underscore, a dot and capitals all differ."""
    slugs = ("a-b", "a_b", "a.b", "A-B", "a--b", "ab", "")

    assert len({status_variable(slug) for slug in slugs}) == len(slugs)
    assert status_variable("a-b") == "PIPEGEN_STATUS_A_B"
