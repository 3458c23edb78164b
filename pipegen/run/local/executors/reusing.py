"""Reuses results of earlier runs, and runs the other stages."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TypeVar

from pipegen.plan.model import Failure
from pipegen.run.clock import Clock
from pipegen.run.events import Cause
from pipegen.run.executors.base import Executor, OnEnd
from pipegen.run.local.cache.blobs import DamagedError
from pipegen.run.local.cache.demand import RequiredResults
from pipegen.run.local.cache.index import DamagedIndexError, UnusableIndexError, reason
from pipegen.run.local.cache.results import Identity, Question, Results
from pipegen.run.local.cache.store import StoredRecord
from pipegen.run.model import Attempt, AttemptResult, Outcome, Task, TaskId
from pipegen.run.scheduling.base import Refusal
from pipegen.structs import MutableStruct, field

_T = TypeVar("_T")

# After such errors, for example a full disk, the run continues without the cache.
_TROUBLE = (OSError, UnusableIndexError, DamagedIndexError)
_LOST = "the stored results that it reads have been lost: run it again"


class _Computation(MutableStruct):
    """A result that *stage* computes; *waiting* are called when it has ended."""

    stage: str
    waiting: list[Callable[[], None]] = field(default_factory=list)


class ReusingExecutor:
    """Runs attempts by *inner* unless *results* has their results.

    Of equal stages, one runs at a time; the others are held. With *is_forced*, results are stored but not reused.
    *warn* is called once if the cache fails. With a *demand*, only requested results are restored immediately.
    """

    def __init__(
        self,
        inner: Executor,
        results: Results,
        clock: Clock,
        *,
        is_forced: bool = False,
        warn: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._inner, self._results, self._clock = inner, results, clock
        self._is_forced, self._warn = is_forced, warn
        self._computations: dict[Identity, _Computation] = {}
        # Of tasks that are about to start: to ask again would read their files again.
        self._questions: dict[TaskId, Question | None] = {}
        self._is_broken = False
        self.demand: RequiredResults | None = None

    def needs(self, task: Task) -> bool:
        """Return whether the result of *task* is needed; without a demand, all results are."""
        demand = self.demand
        return demand is None or self._guarded(partial(demand.needs, task)) is not False

    def hold(self, task: Task, free: Callable[[], None]) -> Refusal | None:
        """Return why *task* waits if an equal task runs; *free* is called when that has ended."""
        question = self._questions[task.id] = self._guarded(partial(self._results.question, task))
        if question is None or self._is_forced or self._results.stored(task) is not None:
            return None
        if all(identity[0] != question.lookup.digest for identity in self._computations):
            return None
        identity = self._guarded(partial(self._results.identity, question))
        computation = self._computations.get(identity) if identity is not None else None
        if computation is None:
            return None
        computation.waiting.append(free)
        return Refusal(task, Cause.EQUAL, computation.stage)

    def start(self, attempt: Attempt, on_end: OnEnd) -> None:
        """Start *attempt*, whose task is not held, or report the outcome of a reused result."""
        question = self._questions.pop(attempt.task.id)
        outcome = None if self._is_forced else self._guarded(partial(self._reused, attempt.task, question))
        if outcome is None and not self._is_provided(attempt.task):
            outcome = Outcome(result=AttemptResult.FAILED, failure=Failure.SYSTEM, reason=_LOST)
        if outcome is not None:
            self._clock.at(self._clock.now(), partial(on_end, attempt, outcome))
            return
        identity = self._guarded(partial(self._results.identity, question)) if question is not None else None
        if question is None or identity is None:
            self._inner.start(attempt, on_end)
        else:
            self._computations.setdefault(identity, _Computation(attempt.task.id.stage))
            self._inner.start(attempt, partial(self._ended, question, identity, on_end))

    def stop(self, attempt: Attempt, *, kill: bool) -> None:
        """Ask *attempt* to end, or *kill* it."""
        self._inner.stop(attempt, kill=kill)

    def close(self) -> None:
        """Close the inner executor, record which results were used, and close their database."""
        self._inner.close()
        self._guarded(self._results.record_use)
        with suppress(*_TROUBLE):
            self._results.close()

    def _reused(self, task: Task, question: Question | None) -> Outcome | None:
        """Return the outcome of a reused result of *task*; None if there is none."""
        is_requested = self.demand is None or self.demand.is_requested(task)
        stored_record = self._results.stored(task)
        while stored_record is not None or (stored_record := self._looked_up(task, question)) is not None:
            outputs = self._results.take(task, stored_record, is_requested=is_requested)
            if outputs is not None:
                return Outcome(result=AttemptResult.REUSED, outputs=outputs, is_waiting=not is_requested)
            stored_record = None
        return None

    def _looked_up(self, task: Task, question: Question | None) -> StoredRecord | None:
        if question is None or (self.demand is not None and self.demand.lacks_inputs(task)):
            return None
        return self._results.find(question)

    def _is_provided(self, task: Task) -> bool:
        """Return whether all inputs of *task* are restored."""
        if self.demand is not None and self.demand.lacks_inputs(task):
            return False
        try:
            self._results.provide(task)
        except (DamagedError, *_TROUBLE):
            return False
        return True

    def _ended(self, question: Question, identity: Identity, on_end: OnEnd, attempt: Attempt, outcome: Outcome) -> None:
        if outcome.result is AttemptResult.SUCCESS:
            self._guarded(partial(self._results.keep, attempt.task, question, outcome))
        computation = self._computations.pop(identity, None)
        on_end(attempt, outcome)
        # They can reuse its result; if it failed, the first of them runs.
        for free in computation.waiting if computation is not None else ():
            free()

    def _guarded(self, call: Callable[[], _T]) -> _T | None:
        """Return the result of *call*, None if the cache fails; if it is damaged, drop it and try once more."""
        if self._is_broken:
            return None
        try:
            try:
                return call()
            except DamagedIndexError as error:
                self._results.renew(error)
                return call()
        except _TROUBLE as error:
            self._is_broken = True
            self._warn(f"results are neither stored nor reused: {reason(error)}")
            return None
