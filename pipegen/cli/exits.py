"""Exit statuses, the same for every verb and format."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """What a process ends with."""

    FINE = 0
    PROBLEMS = 1
    USAGE = 2
    FAILED = 3
    INTERRUPTED = 130
