"""Numbers that make names unique."""

from __future__ import annotations

from pipegen.numbering import unique_name


def test_a_name_gets_the_first_free_number() -> None:
    """Each result is taken for the next call."""
    taken = {"a", "a-2", "b"}

    assert [unique_name("a", taken), unique_name("a", taken), unique_name("c", taken)] == ["a-3", "a-4", "c"]
    assert unique_name("b", taken, "{} ({})".format) == "b (2)"
