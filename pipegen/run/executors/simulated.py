"""Simulated attempts: each ends after a given duration with a given outcome; and the clock, which jumps to it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from pipegen.run.clock import Clock
from pipegen.run.clocks.alarms import Alarms, Call
from pipegen.run.executors.base import OnEnd
from pipegen.run.model import Attempt, AttemptResult, Outcome, TaskId

_SUCCESS = Outcome(result=AttemptResult.SUCCESS)
_STOPPED = Outcome(result=AttemptResult.CANCELLED)


class VirtualClock:
    """Virtual seconds; `wait` advances them to the next call."""

    __slots__ = ("_alarms", "_now")

    def __init__(self) -> None:
        self._alarms = Alarms()
        self._now = 0.0

    def now(self) -> float:
        """Return the seconds since the run began."""
        return self._now

    def at(self, time: float, call: Call) -> Call:
        """Schedule *call* at *time*, or now if that is past; return a function that cancels it."""
        return self._alarms.add(max(time, self._now), call)

    def wait(self) -> bool:
        """Advance to the next call and make it; return False if there is none."""
        alarm = self._alarms.take()
        if alarm is None:
            return False
        self._now, call = alarm
        call()
        return True


class SimulatedExecutor:
    """Ends each attempt after its *duration* with its *outcome*, or as cancelled when it is stopped."""

    def __init__(
        self,
        clock: Clock,
        duration: Callable[[Attempt], float],
        outcome: Callable[[Attempt], Outcome] = lambda _: _SUCCESS,
    ) -> None:
        self._clock, self._duration, self._outcome = clock, duration, outcome
        self._running: dict[TaskId, tuple[OnEnd, Callable[[], None]]] = {}

    def start(self, attempt: Attempt, on_end: OnEnd) -> None:
        """Start *attempt*; call *on_end* after its duration."""
        time = self._clock.now() + self._duration(attempt)
        cancel = self._clock.at(time, partial(self._end, attempt, None))
        self._running[attempt.task.id] = (on_end, cancel)

    def stop(self, attempt: Attempt, *, kill: bool) -> None:  # noqa: ARG002 - both end it immediately
        """End *attempt* now."""
        if attempt.task.id in self._running:
            _, cancel = self._running[attempt.task.id]
            cancel()
            self._clock.at(self._clock.now(), partial(self._end, attempt, _STOPPED))

    def close(self) -> None:
        """Do nothing: nothing remains."""

    def _end(self, attempt: Attempt, outcome: Outcome | None) -> None:
        running = self._running.pop(attempt.task.id, None)
        if running is not None:
            running[0](attempt, outcome or self._outcome(attempt))
