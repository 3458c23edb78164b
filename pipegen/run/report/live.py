"""A run on a terminal: what has ended scrolls by, what runs and waits stands below and is drawn anew."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from typing import TextIO

from pipegen.run.chart.times import SECONDS
from pipegen.run.clocks.real import RealClock
from pipegen.run.events import Ended, RunEvent, Skipped
from pipegen.run.report.plain import Plain
from pipegen.run.report.record import RunRecord, StageRecord
from pipegen.run.report.words import named, told
from pipegen.visible import visible, visible_lines

_PERIOD = 0.2
_UP_AND_CLEAR = "\x1b[{}A\x1b[J"
# No line of ours may wrap: it could not be taken back.
_NO_WRAP, _WRAP = "\x1b[?7l", "\x1b[?7h"
_MOST_WAITING = 3


class Live:
    """Draws the state of *record* to *stream*."""

    def __init__(self, record: RunRecord, stream: TextIO) -> None:
        self._record, self._stream = record, stream
        self._plain = Plain(record, self._print)
        self._clock: RealClock | None = None
        self._take_back: Callable[[], None] | None = None
        self._drawn = 0

    def begin(self, clock: RealClock) -> None:
        """Draw from now on, as often as the eye follows."""
        self._clock = clock
        self._tick()

    def hear(self, event: RunEvent) -> None:
        """Let what has ended scroll by."""
        if isinstance(event, Ended | Skipped):
            self._plain.hear(event)

    def say(self, words: str) -> None:
        """Let *words* scroll by."""
        self._print(f"{visible_lines(words)}\n")

    def close(self) -> None:
        """Take away what is drawn."""
        if self._take_back is not None:
            self._take_back()
        self._clear()
        self._stream.flush()

    def _tick(self) -> None:
        if self._clock is not None:
            self.draw(self._clock.now())
            self._take_back = self._clock.at(self._clock.now() + _PERIOD, self._tick)

    def _print(self, text: str) -> None:
        self._clear()
        self._stream.write(text)

    def _clear(self) -> None:
        if self._drawn:
            self._stream.write(_UP_AND_CLEAR.format(self._drawn))
            self._drawn = 0

    def draw(self, now: float) -> None:
        """Draw what runs and waits at the time *now*, in place of what is drawn."""
        size = shutil.get_terminal_size()
        lines = [visible(line) for line in self._lines(now, max(3, size.lines - 2))]
        self._clear()
        self._stream.write(_NO_WRAP + "".join(f"{line[: size.columns]}\n" for line in lines) + _WRAP)
        self._stream.flush()
        self._drawn = len(lines)

    def _lines(self, now: float, most: int) -> Iterator[str]:
        """Yield what runs, what waits and for what, and how far the run is, in at most so many lines."""
        entries = self._record.entries.values()
        several = len(self._record.runs) > 1
        running = [one for one in entries if one.is_running]
        waiting = [one for one in entries if not one.is_running and not one.is_over and one.waits is not None]
        room = most - 1 - min(len(waiting), _MOST_WAITING)
        for one in running[:room]:
            again = f" (try {one.tries[-1].number})" if len(one.tries) > 1 else ""
            yield f"{SECONDS.words(now - one.tries[-1].started):>10}  run      {named(one, several=several)}{again}"
        for one in waiting[:_MOST_WAITING]:
            yield f"{'':>10}  wait     {named(one, several=several)}, for {_awaited(one)}"
        over = sum(one.is_over for one in entries)
        more = f", {len(running) - room} more run" if len(running) > room else ""
        rest = _rest(tuple(entries), now)
        left = f", about {SECONDS.words(rest)} left" if rest else ""
        yield f"{SECONDS.words(now):>10}  {over} of {len(entries)} over{more}{left}"


def _awaited(entry: StageRecord) -> str:
    return told(entry.waits, entry.what) if entry.waits is not None else ""


def _rest(entries: tuple[StageRecord, ...], now: float) -> float:
    """Return how long the longest path still takes, as far as durations are known; 0 where none is."""
    rests = [
        one.task.remaining - (now - one.tries[-1].started if one.is_running else 0.0)
        for one in entries
        if not one.is_over and one.task.remaining
    ]
    return max((0.0, *rests))
