"""Locks of stages across all local runs of a user, as file locks."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from pathlib import Path

from pipegen.run.clock import Clock
from pipegen.run.events import Cause
from pipegen.run.executors.base import Executor, OnEnd
from pipegen.run.model import Attempt, Outcome, Task, TaskId
from pipegen.run.scheduling.base import Refusal

# Seconds between two tries to lock a file: there is no notification.
_PAUSE = 0.2


class LockingExecutor:
    """Runs attempts by *inner* while this process holds their locks, which are files in *folder*.

    The system releases the locks of a killed process.
    """

    def __init__(self, inner: Executor, folder: Path, clock: Clock) -> None:
        self._inner, self._folder, self._clock = inner, folder, clock
        self._held: dict[TaskId, list[int]] = {}

    def hold(self, task: Task, free: Callable[[], None]) -> Refusal | None:
        """Take all locks of *task* or none; return the one that another run holds, and call *free* to try again."""
        files: list[int] = []
        for name in dict.fromkeys(task.demand.locks):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Names are hashed, because they may have any length and characters.
            path = self._folder / sha256(name.encode(errors="surrogateescape")).hexdigest()[:32]
            files.append(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
            try:
                fcntl.flock(files[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                _release(files)
                self._clock.at(self._clock.now() + _PAUSE, free)
                return Refusal(task, Cause.LOCK, name)
        if files:
            self._held[task.id] = files
        return None

    def start(self, attempt: Attempt, on_end: OnEnd) -> None:
        """Start *attempt*, whose locks are held."""
        self._inner.start(attempt, partial(self._ended, on_end) if attempt.task.id in self._held else on_end)

    def stop(self, attempt: Attempt, *, kill: bool) -> None:
        """Ask *attempt* to end, or *kill* it."""
        self._inner.stop(attempt, kill=kill)

    def close(self) -> None:
        """Close the inner executor, and release all locks."""
        self._inner.close()
        for files in self._held.values():
            _release(files)
        self._held.clear()

    def _ended(self, on_end: OnEnd, attempt: Attempt, outcome: Outcome) -> None:
        _release(self._held.pop(attempt.task.id))
        on_end(attempt, outcome)


def _release(files: list[int]) -> None:
    for file in files:
        os.close(file)
