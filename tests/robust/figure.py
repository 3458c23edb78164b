"""What one kind of trial came to, as figures."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Figures:
    """What was tried, line by line, and how much of it went wrong."""

    title: str
    lines: tuple[str, ...]
    wrong: int
