"""A run on a terminal: ended stages scroll by, running and waiting stages are redrawn below."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from typing import TextIO

from pipegen.run.chart.times import SECONDS
from pipegen.run.clocks.real import RealClock
from pipegen.run.events import Ended, RunEvent, Skipped, wait_words
from pipegen.run.report.plain import Plain
from pipegen.run.report.record import RunRecord, StageRecord
from pipegen.visible import visible, visible_lines

_PERIOD = 0.2
_UP_AND_CLEAR = "\x1b[{}A\x1b[J"
# Wrapped lines could not be cleared.
_NO_WRAP, _WRAP = "\x1b[?7l", "\x1b[?7h"
_MOST_WAITING = 3


class Live:
    """Draws the state of *record* to *stream*; *paint* colours what scrolls by."""

    def __init__(self, record: RunRecord, stream: TextIO, paint: Callable[[str], str] = lambda text: text) -> None:
        self._record, self._stream, self._paint = record, stream, paint
        self._plain = Plain(record, self._print)
        self._end: Callable[[], None] = lambda: None
        self._drawn = 0

    def begin(self, clock: RealClock) -> None:
        """Redraw periodically from now on."""
        self._end = clock.every(_PERIOD, lambda: self.draw(clock.now()))

    def notify(self, event: RunEvent) -> None:
        """Print a line for a stage that ended or was skipped."""
        if isinstance(event, Ended | Skipped):
            self._plain.notify(event)

    def say(self, words: str) -> None:
        """Print *words*."""
        self._print(visible_lines(words))

    def close(self) -> None:
        """Clear the drawing."""
        self._end()
        self._clear()
        self._stream.flush()

    def _print(self, text: str) -> None:
        self._clear()
        self._stream.write(f"{self._paint(text)}\n")

    def _clear(self) -> None:
        if self._drawn:
            self._stream.write(_UP_AND_CLEAR.format(self._drawn))
            self._drawn = 0

    def draw(self, now: float) -> None:
        """Redraw the running and waiting stages at the time *now*."""
        size = shutil.get_terminal_size()
        lines = [visible(line) for line in self._lines(now, max(3, size.lines - 2))]
        self._clear()
        self._stream.write(_NO_WRAP + "".join(f"{line[: size.columns]}\n" for line in lines) + _WRAP)
        self._stream.flush()
        self._drawn = len(lines)

    def _lines(self, now: float, line_limit: int) -> Iterator[str]:
        """Yield at most *line_limit* lines: running stages, waiting stages, and the progress of the run."""
        entries = self._record.entries.values()
        several = len(self._record.runs) > 1
        running = [entry for entry in entries if entry.is_running]
        waiting = [
            (entry.task.id, wait_words(entry.waits, entry.what))
            for entry in entries
            if not entry.is_running and not entry.is_over and entry.waits is not None
        ]
        room = line_limit - 1 - min(len(waiting), _MOST_WAITING)
        for entry in running[:room]:
            attempt = f" (attempt {entry.attempts[-1].number})" if len(entry.attempts) > 1 else ""
            duration = SECONDS.words(now - entry.attempts[-1].started)
            yield f"{duration:>10}  run      {entry.task.id.display_name(several=several)}{attempt}"
        for task, words in waiting[:_MOST_WAITING]:
            yield f"{'':>10}  wait     {task.display_name(several=several)}, for {words}"
        ended = sum(entry.is_over for entry in entries)
        more = f", {len(running) - room} more running" if len(running) > room else ""
        rest = _remaining_time(tuple(entries), now)
        remaining = f", about {SECONDS.words(rest)} left" if rest else ""
        yield f"{SECONDS.words(now):>10}  {ended} of {len(entries)} ended{more}{remaining}"


def _remaining_time(entries: tuple[StageRecord, ...], now: float) -> float:
    """Return the remaining seconds of the longest path, as far as durations are known; 0 if none are."""
    remaining = [
        entry.task.remaining - (now - entry.attempts[-1].started if entry.is_running else 0.0)
        for entry in entries
        if not entry.is_over and entry.task.remaining
    ]
    return max((0.0, *remaining))
