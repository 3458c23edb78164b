"""What a report tells of a run beside what happened in it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pipegen.run.folder import RunFolder


@dataclass(frozen=True, kw_only=True, slots=True)
class About:
    """Which run it is: its *config*, when it *started* (in UTC), its folder, and what came of all: *status*."""

    config: str
    started: datetime
    folder: RunFolder
    status: str
