"""The metadata of a run in reports."""

from __future__ import annotations

from datetime import datetime

from pipegen.run.files.run_folder import RunFolder
from pipegen.run.model import RunMachine
from pipegen.structs import Struct


class About(Struct, kw_only=True):
    """The metadata of a run: *config*, start in UTC, folder, machines, and *status* as a word."""

    config: str
    started: datetime
    folder: RunFolder
    machines: tuple[RunMachine, ...]
    status: str
