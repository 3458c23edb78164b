"""Errors of the readers."""

from __future__ import annotations


class UnreadableError(ValueError):
    """Text whose order cannot be determined: the problem, and its start and end offsets.

    *path* is the file of a child pipeline, "" for the main file.
    """

    def __init__(self, message: str, start: int = 0, end: int = 0, path: str = "") -> None:
        super().__init__(message)
        self.path = path
        self.start = start
        self.end = end


class UnknownDriverError(UnreadableError):
    """A Jenkinsfile with a driver that this version does not generate."""
