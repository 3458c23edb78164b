"""Tests of `add`."""

from calculator import add


def test_numbers_are_added() -> None:
    """The sum of no numbers is zero."""
    assert (add(1, 2, 3.5), add()) == (6.5, 0)
