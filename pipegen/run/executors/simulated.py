"""Tries on paper: each ends when its time is up, and comes to what it is told to come to."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from pipegen.run.clock import Clock
from pipegen.run.executors.base import Tell
from pipegen.run.model import Attempt, AttemptResult, Outcome, TaskId

_SUCCESS = Outcome(ending=AttemptResult.SUCCESS)
_STOPPED = Outcome(ending=AttemptResult.CANCELLED)


class SimulatedExecutor:
    """Ends each try after its *duration* with its *outcome*, or at once, cancelled, when it is stopped."""

    def __init__(
        self,
        clock: Clock,
        duration: Callable[[Attempt], float],
        outcome: Callable[[Attempt], Outcome] = lambda _: _SUCCESS,
    ) -> None:
        self._clock, self._duration, self._outcome = clock, duration, outcome
        self._running: dict[TaskId, tuple[Tell, Callable[[], None]]] = {}

    def start(self, attempt: Attempt, tell: Tell) -> None:
        """Begin *attempt*; *tell* is called when its time is up."""
        time = self._clock.now() + self._duration(attempt)
        take_back = self._clock.at(time, partial(self._end, attempt, None))
        self._running[attempt.task.id] = (tell, take_back)

    def stop(self, attempt: Attempt, *, kill: bool) -> None:  # noqa: ARG002 - both end it at once
        """End *attempt* now."""
        if attempt.task.id in self._running:
            _, take_back = self._running[attempt.task.id]
            take_back()
            self._clock.at(self._clock.now(), partial(self._end, attempt, _STOPPED))

    def close(self) -> None:
        """Leave nothing behind: there is nothing."""

    def _end(self, attempt: Attempt, outcome: Outcome | None) -> None:
        running = self._running.pop(attempt.task.id, None)
        if running is not None:
            running[0](attempt, outcome or self._outcome(attempt))
