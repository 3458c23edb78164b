"""Time, as the engine knows it: what a run and a simulation differ in, beside the executor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class Clock(Protocol):
    """Seconds, and what happens when they have passed.

    The real clock waits for what executors watch (processes, files) and for the time of day; the virtual one jumps to
    the next thing that is due. All calls come from one thread.
    """

    def now(self) -> float:
        """Return the seconds since the run began."""
        ...

    def at(self, time: float, call: Callable[[], None]) -> Callable[[], None]:
        """Arrange *call* at *time*, at once if that is past; return what takes it back (a no-op once called).

        Calls that are due at the same time come in the order they were arranged.
        """
        ...

    def wait(self) -> bool:
        """Do the next thing that is due, waiting for it; return False when there is nothing left to wait for."""
        ...
