"""The results of one kind of trial, as figures."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figures:
    """A kind of trial: what was counted, a line for each figure, and how many trials went *wrong*."""

    title: str
    lines: tuple[str, ...]
    wrong: int
