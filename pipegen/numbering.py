"""Numbers that make names unique."""

from collections.abc import Callable


def unique_name(name: str, taken: set[str], numbered: Callable[[str, int], str] = "{}-{}".format) -> str:
    """Return *name*, *numbered* from 2 if it is *taken*, and add the result there."""
    unique, number = name, 1
    while unique in taken:
        number += 1
        unique = numbered(name, number)
    taken.add(unique)
    return unique
