"""The attempts of a run with their times and waits."""

from __future__ import annotations

import heapq

from pipegen.run.events import Cause, Ended, Ready, RunEvent, Skipped, Started, Waiting
from pipegen.run.model import Attempt, Outcome, Task, TaskId
from pipegen.structs import Struct


class TaskWait(Struct):
    """A period for which a task waited; *what* is the name of the lock or label, or ""."""

    cause: Cause
    what: str
    start: float
    end: float

    @property
    def seconds(self) -> float:
        """The duration."""
        return self.end - self.start


class Bar(Struct, kw_only=True):
    """An attempt from start to end, the indexes of its *slots*, and the *waits* before it."""

    attempt: Attempt
    slots: tuple[int, ...]
    start: float
    end: float
    outcome: Outcome
    waits: tuple[TaskWait, ...]

    @property
    def task(self) -> Task:
        """The task of the attempt."""
        return self.attempt.task

    @property
    def seconds(self) -> float:
        """The duration."""
        return self.end - self.start


class Timeline:
    """A listener that records all attempts; each takes the lowest free slots of its machine."""

    def __init__(self) -> None:
        self._bars: list[Bar] = []
        self._waits: dict[TaskId, list[TaskWait]] = {}
        # The current wait of each task.
        self._waiting: dict[TaskId, Waiting] = {}
        self._running: dict[TaskId, tuple[float, tuple[int, ...]]] = {}
        # By machine: the number of slots ever used, and those that are free.
        self._used: dict[str, int] = {}
        self._free: dict[str, list[int]] = {}

    def notify(self, event: RunEvent) -> None:
        """Handle *event*."""
        match event:
            case Started(attempt=attempt):
                self._close(attempt.task.id, event.time)
                self._running[attempt.task.id] = (event.time, self._take(attempt))
            case Ended() if event.attempt.task.id in self._running:
                self._end(event)
            case Ready(task=task) | Skipped(task=task):
                self._close(task, event.time)
            case Waiting(task=task):
                self._close(task, event.time)
                self._waiting[task] = event

    def bars(self) -> tuple[Bar, ...]:
        """Return the attempts that have ended, in the order in which they started."""
        return tuple(sorted(self._bars, key=lambda bar: (bar.start, bar.task.order)))

    def _close(self, task: TaskId, time: float) -> None:
        """End the current wait of *task*."""
        waiting = self._waiting.pop(task, None)
        if waiting is not None and time > waiting.time:
            self._waits.setdefault(task, []).append(TaskWait(waiting.cause, waiting.what, waiting.time, time))

    def _end(self, event: Ended) -> None:
        task = event.attempt.task.id
        start, slots = self._running.pop(task)
        for slot in slots:
            heapq.heappush(self._free[event.attempt.machine], slot)
        waits = tuple(self._waits.pop(task, ()))
        self._bars.append(
            Bar(
                attempt=event.attempt,
                slots=slots,
                start=start,
                end=event.time,
                outcome=event.outcome,
                waits=waits,
            )
        )

    def _take(self, attempt: Attempt) -> tuple[int, ...]:
        free = self._free.setdefault(attempt.machine, [])
        slots = []
        for _ in range(attempt.task.demand.slots):
            if not free:
                self._used[attempt.machine] = self._used.get(attempt.machine, 0) + 1
                free.append(self._used[attempt.machine] - 1)
            slots.append(heapq.heappop(free))
        return tuple(slots)
