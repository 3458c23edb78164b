"""The clock of the engine: real in a run, virtual in a simulation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class Clock(Protocol):
    """The current time, and calls that are due later.

    The real clock waits for time to pass and for the processes and files that executors watch; the virtual clock jumps
    to the next call that is due. All calls come from one thread.
    """

    def now(self) -> float:
        """Return the seconds since the run began."""
        ...

    def at(self, time: float, call: Callable[[], None]) -> Callable[[], None]:
        """Schedule *call* at *time*, immediately if that is past; return a function that cancels it.

        Calls that are due at the same time run in the order in which they were scheduled.
        """
        ...

    def wait(self) -> bool:
        """Wait for the next call and make it; return False if nothing is left to wait for."""
        ...
