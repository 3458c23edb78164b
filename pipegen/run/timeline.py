"""What happened when: the tries of a run with their times, and what they waited for."""

from __future__ import annotations

import heapq

from pipegen.run.events import Cause, Ended, Parked, Ready, RunEvent, Skipped, Started
from pipegen.run.model import Attempt, Outcome, Task, TaskId
from pipegen.structs import Struct


class TaskWait(Struct):
    """Some time that a task spent before it started; *what* names the lock or label, "" where nothing does."""

    cause: Cause
    what: str
    start: float
    end: float

    @property
    def seconds(self) -> float:
        """How long it was."""
        return self.end - self.start


class Bar(Struct, kw_only=True):
    """A try from start to end. *lanes* are the slots of its machine that it took, from 0; *waits* came before it."""

    attempt: Attempt
    lanes: tuple[int, ...]
    start: float
    end: float
    outcome: Outcome
    waits: tuple[TaskWait, ...] = ()

    @property
    def task(self) -> Task:
        """The task that was tried."""
        return self.attempt.task

    @property
    def seconds(self) -> float:
        """How long it took."""
        return self.end - self.start


class Timeline:
    """A listener that keeps all tries; each takes the lowest slots of its machine that are free."""

    def __init__(self) -> None:
        self._bars: list[Bar] = []
        self._waits: dict[TaskId, list[TaskWait]] = {}
        # Since when a task waits, and what for.
        self._parked: dict[TaskId, Parked] = {}
        self._running: dict[TaskId, tuple[float, tuple[int, ...]]] = {}
        # Of each machine, how many slots were ever taken, and which of them are free.
        self._lanes: dict[str, int] = {}
        self._free: dict[str, list[int]] = {}

    def hear(self, event: RunEvent) -> None:
        """Take note of *event*."""
        match event:
            case Ready() | Skipped():
                self._close(event.task, event.time)
            case Parked():
                self._close(event.task, event.time)
                self._parked[event.task] = event
            case Started():
                self._close(event.attempt.task.id, event.time)
                self._running[event.attempt.task.id] = (event.time, self._take(event.attempt))
            case Ended() if event.attempt.task.id in self._running:
                self._end(event)

    def bars(self) -> tuple[Bar, ...]:
        """Return the tries that have ended, in the order in which they started."""
        return tuple(sorted(self._bars, key=lambda bar: (bar.start, bar.task.order)))

    def _close(self, task: TaskId, time: float) -> None:
        """End what *task* waits for."""
        parked = self._parked.pop(task, None)
        if parked is not None and time > parked.time:
            self._waits.setdefault(task, []).append(TaskWait(parked.cause, parked.what, parked.time, time))

    def _end(self, event: Ended) -> None:
        task = event.attempt.task.id
        start, lanes = self._running.pop(task)
        for lane in lanes:
            heapq.heappush(self._free[event.attempt.machine], lane)
        waits = tuple(self._waits.pop(task, ()))
        self._bars.append(
            Bar(
                attempt=event.attempt,
                lanes=lanes,
                start=start,
                end=event.time,
                outcome=event.outcome,
                waits=waits,
            )
        )

    def _take(self, attempt: Attempt) -> tuple[int, ...]:
        free = self._free.setdefault(attempt.machine, [])
        found = []
        for _ in range(attempt.task.demand.slots):
            if not free:
                self._lanes[attempt.machine] = self._lanes.get(attempt.machine, 0) + 1
                free.append(self._lanes[attempt.machine] - 1)
            found.append(heapq.heappop(free))
        return tuple(found)
