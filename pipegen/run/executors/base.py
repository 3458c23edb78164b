"""The contract of an executor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from pipegen.run.model import Attempt, Outcome

# Called once for a try that was started, from `Clock.wait`, never from within `start` or `stop`.
Tell = Callable[[Attempt, Outcome], None]


class Executor(Protocol):
    """Runs tries and tells what came of each."""

    def start(self, attempt: Attempt, tell: Tell) -> None:
        """Begin *attempt*; *tell* is called once, when it has ended and nothing of it is left running."""
        ...

    def stop(self, attempt: Attempt, *, kill: bool) -> None:
        """Ask *attempt* to end, or *kill* it; what came of it is told as ever. Nothing if it has ended."""
        ...

    def close(self) -> None:
        """Remove what is left: processes, containers, folders of the run."""
        ...
