"""What adding does."""

from calculator import add


def test_numbers_are_added() -> None:
    """All of them, and none is nothing."""
    assert (add(1, 2, 3.5), add()) == (6.5, 0)
