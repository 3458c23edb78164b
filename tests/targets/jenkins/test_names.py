"""Unique names."""

from __future__ import annotations

from pipegen.targets.jenkins.names import StageNames


def test_a_duplicate_name_gets_the_first_free_number() -> None:
    """Numbers that other names contain are skipped, and none is used twice."""
    names = StageNames()
    texts = [names.take(name, "{name}{number}") for name in ("a", "a", "a3", "a", "a", "b", "a2")]

    assert texts == ["a", "a2", "a3", "a4", "a5", "b", "a22"]
