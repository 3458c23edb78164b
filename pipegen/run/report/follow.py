"""The output of running stages, line by line, each with the name of its stage."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from pipegen.run.clocks.real import RealClock
from pipegen.run.events import Ended, RunEvent, Started
from pipegen.run.files.run_folder import RunFolder
from pipegen.run.local.executors.local import log_of
from pipegen.run.model import TaskId
from pipegen.run.report.record import RunRecord
from pipegen.structs import MutableStruct

_PERIOD = 0.1
_CHUNK = 65_536
# A longer line is shown in parts, before its end is known.
_LONGEST_LINE = 1 << 20
# A stage may replace its log by a link or a pipe if the folder of logs is in its tree.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
# Colour sequences: SGR in ECMA-48.
COLOUR = re.compile(r"\x1b\[[0-9;:]*m")


class _Log(MutableStruct):
    """The log of an attempt: *position* is the end of the text read so far, *rest* the start of an incomplete line."""

    name: str
    path: Path
    position: int = 0
    rest: bytes = b""


class LogFollower:
    """A listener that passes the lines in the logs of running stages to *say*."""

    def __init__(self, record: RunRecord, folder: RunFolder, say: Callable[[str], None]) -> None:
        self._record, self._folder, self._say = record, folder, say
        self._logs: dict[TaskId, _Log] = {}
        self._end: Callable[[], None] = lambda: None

    def begin(self, clock: RealClock) -> None:
        """Read periodically from now on."""
        self._end = clock.every(_PERIOD, self._show_new_lines)

    def close(self) -> None:
        """Read no more."""
        self._end()

    def notify(self, event: RunEvent) -> None:
        """Follow the log of an attempt that starts, and show the rest of one that ends."""
        match event:
            case Started(attempt=attempt):
                name = attempt.task.id.display_name(several=len(self._record.runs) > 1)
                self._logs[attempt.task.id] = _Log(name, log_of(self._folder, attempt.task.job, attempt.number))
            case Ended(attempt=attempt) if attempt.task.id in self._logs:
                log = self._logs.pop(attempt.task.id)
                self._show(log)
                if log.rest:
                    self._show_line(log, log.rest)

    def _show_new_lines(self) -> None:
        for log in self._logs.values():
            self._show(log)

    def _show(self, log: _Log) -> None:
        """Show the complete lines that were written to *log* since the last time."""
        for data in _written(log):
            *lines, log.rest = (log.rest + data).split(b"\n")
            if len(log.rest) >= _LONGEST_LINE:
                lines.append(log.rest)
                log.rest = b""
            for line in lines:
                self._show_line(log, line)

    def _show_line(self, log: _Log, line: bytes) -> None:
        text = COLOUR.sub("", line.decode(errors="replace").removesuffix("\r"))
        self._say(f"{log.name} | {text}")


def _written(log: _Log) -> Iterator[bytes]:
    """Yield the lines added to *log* since the last call; none while there is no log."""
    try:
        file = os.open(log.path, _READ)
    except OSError:
        return
    try:
        while data := os.pread(file, _CHUNK, log.position):
            log.position += len(data)
            yield data
    except OSError:
        return
    finally:
        os.close(file)
