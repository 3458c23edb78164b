"""Adds numbers."""

import sys
from importlib.metadata import version


def add(*numbers: float) -> float:
    """Return the sum of *numbers*."""
    return sum(numbers)


def main() -> None:
    """Print the sum of the arguments, or the version."""
    if sys.argv[1:] == ["--version"]:
        print(version("calculator"))
    else:
        print(add(*map(float, sys.argv[1:])))
