"""What readers raise."""

from __future__ import annotations


class UnreadableError(ValueError):
    """Text whose order cannot be told: what is wrong, and from where to where it stands in the text.

    *path* is that of a child pipeline's file, "" in the file that is read itself.
    """

    def __init__(self, message: str, start: int = 0, end: int = 0, path: str = "") -> None:
        super().__init__(message)
        self.path = path
        self.start = start
        self.end = end


class UnknownDriverError(UnreadableError):
    """A Jenkinsfile whose stages are started by code that this version does not write."""
