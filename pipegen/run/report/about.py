"""What a report tells of a run beside what happened in it."""

from __future__ import annotations

from datetime import datetime

from pipegen.run.files.run_folder import RunFolder
from pipegen.run.model import RunMachine
from pipegen.structs import Struct


class About(Struct, kw_only=True):
    """Which run it is: its *config*, when it *started* (in UTC), its folder, where it ran, its *status* in a word."""

    config: str
    started: datetime
    folder: RunFolder
    machines: tuple[RunMachine, ...]
    status: str
