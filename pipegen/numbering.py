"""Numbers that make names unique."""

from collections.abc import Callable
from itertools import count


def unique_name(name: str, taken: set[str], numbered: Callable[[str, int], str] = "{}-{}".format) -> str:
    """Return *name*, *numbered* from 2 if it is *taken*, and add the result there."""
    unique = name
    numbers = count(2)
    while unique in taken:
        unique = numbered(name, next(numbers))
    taken.add(unique)
    return unique
