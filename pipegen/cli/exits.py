"""Exit statuses, the same for every command and format, and the exception for wrong usage."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """The exit status of the program."""

    FINE = 0
    PROBLEMS = 1
    USAGE = 2
    FAILED = 3
    INTERRUPTED = 130
    # As of a program that the signal SIGPIPE ends.
    CLOSED_PIPE = 141


class WrongUsage(Exception):  # noqa: N818 - the term of the command line
    """Wrong arguments or options; the text is the message."""
