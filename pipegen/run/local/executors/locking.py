"""Holds the locks of stages over all runs of a user on this machine, by locks on files."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from pathlib import Path

from pipegen.run.clock import Clock
from pipegen.run.events import Cause
from pipegen.run.executors.base import Executor, Tell
from pipegen.run.model import Attempt, Outcome, Task, TaskId
from pipegen.run.scheduling.base import Refusal

# Nobody tells when a file is free: it is looked at again after so many seconds.
_PAUSE = 0.2


class LockingExecutor:
    """Runs tries by *inner* while this process holds their locks, which stand in *folder*.

    The system gives them back when a process dies, so that a killed run blocks nobody.
    """

    def __init__(self, inner: Executor, folder: Path, clock: Clock) -> None:
        self._inner, self._folder, self._clock = inner, folder, clock
        self._held: dict[TaskId, list[int]] = {}

    def hold(self, task: Task, free: Callable[[], None]) -> Refusal | None:
        """Take all locks of *task*, or none: return the one that another run has; *free* is called to try again."""
        files: list[int] = []
        for name in dict.fromkeys(task.demand.locks):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Any name may stand in a config, and none is too long for it.
            path = self._folder / sha256(name.encode(errors="surrogateescape")).hexdigest()[:32]
            files.append(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
            try:
                fcntl.flock(files[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                _give_back(files)
                self._clock.at(self._clock.now() + _PAUSE, free)
                return Refusal(task, Cause.LOCK, name)
        if files:
            self._held[task.id] = files
        return None

    def start(self, attempt: Attempt, tell: Tell) -> None:
        """Begin *attempt*, whose locks are held."""
        self._inner.start(attempt, partial(self._ended, tell) if attempt.task.id in self._held else tell)

    def stop(self, attempt: Attempt, *, kill: bool) -> None:
        """Ask *attempt* to end, or *kill* it."""
        self._inner.stop(attempt, kill=kill)

    def close(self) -> None:
        """Remove what is left, and give all locks back."""
        self._inner.close()
        for files in self._held.values():
            _give_back(files)
        self._held.clear()

    def _ended(self, tell: Tell, attempt: Attempt, outcome: Outcome) -> None:
        _give_back(self._held.pop(attempt.task.id))
        tell(attempt, outcome)


def _give_back(files: list[int]) -> None:
    for file in files:
        os.close(file)
