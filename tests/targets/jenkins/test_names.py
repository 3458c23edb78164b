"""Unique names."""

from __future__ import annotations

from pipegen.targets.jenkins.names import StageNames


def test_the_first_free_number_is_taken() -> None:
    """Numbers that others have taken as a name of their own are passed over, and none is given twice."""
    names = StageNames()
    given = [names.take(one, "{name}{number}") for one in ("a", "a", "a3", "a", "a", "b", "a2")]

    assert given == ["a", "a2", "a3", "a4", "a5", "b", "a22"]
