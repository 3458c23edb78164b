"""Exit statuses, the same for every verb and format, and how wrong usage is told."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """What a process ends with."""

    FINE = 0
    PROBLEMS = 1
    USAGE = 2
    FAILED = 3
    INTERRUPTED = 130


class WrongUsage(Exception):  # noqa: N818 - the term of the command line
    """A call that cannot be carried out; the text says why."""
