"""What one kind of trial came to, as figures."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Figures:
    """What was tried, and how much of it went wrong."""

    title: str
    lines: tuple[str, ...]
    wrong: int
