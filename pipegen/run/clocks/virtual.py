"""The clock of simulations: time jumps to the next call."""

from __future__ import annotations

from pipegen.run.clocks.alarms import Alarms, Call


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
