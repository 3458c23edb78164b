"""A clock on paper: time jumps to whatever is due next."""

from __future__ import annotations

from pipegen.run.clocks.alarms import Alarms, Call


class VirtualClock:
    """Seconds that pass only in `wait`, and no more of them than it takes to the next call."""

    __slots__ = ("_alarms", "_now")

    def __init__(self) -> None:
        self._alarms = Alarms()
        self._now = 0.0

    def now(self) -> float:
        """Return the seconds since the run began."""
        return self._now

    def at(self, time: float, call: Call) -> Call:
        """Arrange *call* at *time*, or now if that is past; return what takes it back."""
        return self._alarms.add(max(time, self._now), call)

    def wait(self) -> bool:
        """Go on to the next call and make it; return False when there is none."""
        time = self._alarms.next_time()
        if time is None:
            return False
        self._now = time
        call = self._alarms.take(time)
        if call is not None:
            call()
        return True
