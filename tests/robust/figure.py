"""What one kind of trial came to, as figures."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figures:
    """A title, the lines to show, and how many trials went wrong."""

    title: str
    lines: tuple[str, ...]
    wrong: int
