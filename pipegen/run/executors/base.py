"""The contract of an executor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from pipegen.run.model import Attempt, Outcome

# Called once for each started attempt, from `Clock.wait`, never from `start` or `stop`.
OnEnd = Callable[[Attempt, Outcome], None]


class Executor(Protocol):
    """Runs attempts and reports their outcomes."""

    def start(self, attempt: Attempt, on_end: OnEnd) -> None:
        """Start *attempt*; call *on_end* once, when it has ended and none of its processes run."""
        ...

    def stop(self, attempt: Attempt, *, kill: bool) -> None:
        """Ask *attempt* to end, or *kill* it; its outcome is reported as usual. Nothing if it has ended."""
        ...

    def close(self) -> None:
        """Remove what remains: processes, containers, folders of the run."""
        ...
