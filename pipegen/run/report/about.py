"""What a report tells of a run beside what happened in it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pipegen.run.here.folder import RunFolder
from pipegen.run.model import Machine


@dataclass(frozen=True, kw_only=True, slots=True)
class About:
    """Which run it is: its *config*, when it *started* (in UTC), its folder, where it ran, its *status* in a word."""

    config: str
    started: datetime
    folder: RunFolder
    machines: tuple[Machine, ...]
    status: str
