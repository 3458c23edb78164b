"""The results of one kind of trial, as figures."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of a kind of trial: its title, a line for each figure, and the number of *wrong* trials."""

    title: str
    lines: tuple[str, ...]
    wrong: int
