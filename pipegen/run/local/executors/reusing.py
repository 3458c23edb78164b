"""Takes the results of earlier runs where they are the same, and has the rest made."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from pipegen.plan.model import Failure
from pipegen.run.clock import Clock
from pipegen.run.events import Cause
from pipegen.run.executors.base import Executor, Tell
from pipegen.run.local.cache.blobs import DamagedError
from pipegen.run.local.cache.demand import RequiredResults
from pipegen.run.local.cache.index import DamagedIndexError
from pipegen.run.local.cache.results import Identity, Question, Results
from pipegen.run.local.cache.store import StoredRecord
from pipegen.run.model import Attempt, AttemptResult, Outcome, Task
from pipegen.run.scheduling.base import Refusal
from pipegen.structs import MutableStruct, field

_T = TypeVar("_T")

# A disk that is full, a folder that may not be written to: the run goes on without the cache.
_TROUBLE = (OSError, sqlite3.Error, DamagedIndexError)
_LOST = "what it reads was kept by an earlier run, and has been lost meanwhile: run it again"


class _Made(MutableStruct):
    """A result that is being made, by the name of the stage that makes it; *waiting* are told when it is over."""

    stage: str
    waiting: list[Callable[[], None]] = field(default_factory=list)


class ReusingExecutor:
    """Runs tries by *inner* unless *results* has what they would come to.

    Of equal stages one at a time runs; the others are held. With *is_forced* nothing is looked up, but what is made is
    kept. *complain* is told once why results cannot be kept. Where there is a *demand*, only what is asked for is put
    back at once.
    """

    def __init__(
        self,
        inner: Executor,
        results: Results,
        clock: Clock,
        *,
        is_forced: bool = False,
        complain: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._inner, self._results, self._clock = inner, results, clock
        self._is_forced, self._complain = is_forced, complain
        self._made: dict[Identity, _Made] = {}
        self._is_broken = False
        self.demand: RequiredResults | None = None

    def needs(self, task: Task) -> bool:
        """Return whether the result of *task* is needed; without a demand, all are."""
        demand = self.demand
        return demand is None or self._tried(partial(demand.needs, task)) is not False

    def hold(self, task: Task, free: Callable[[], None]) -> Refusal | None:
        """Return what *task* waits for while an equal one runs; *free* is called when that is over."""
        if not self._made or self._is_forced or self._results.found(task) is not None:
            return None
        digest = self._tried(partial(self._results.digest, task))
        if digest is None or all(identity[0] != digest for identity in self._made):
            return None
        question = self._tried(partial(self._results.question, task))
        identity = self._tried(partial(self._results.identity, question)) if question is not None else None
        made = self._made.get(identity) if identity is not None else None
        if made is None:
            return None
        made.waiting.append(free)
        return Refusal(task, Cause.EQUAL, made.stage)

    def start(self, attempt: Attempt, tell: Tell) -> None:
        """Begin *attempt*, or tell what an earlier one came to."""
        question = self._tried(partial(self._results.question, attempt.task))
        outcome = None if self._is_forced else self._tried(partial(self._taken, attempt.task, question))
        if outcome is None and not self._is_provided(attempt.task):
            outcome = Outcome(ending=AttemptResult.FAILED, failure=Failure.SYSTEM, reason=_LOST)
        if outcome is not None:
            self._clock.at(self._clock.now(), partial(tell, attempt, outcome))
            return
        identity = self._tried(partial(self._results.identity, question)) if question is not None else None
        if question is None or identity is None:
            self._inner.start(attempt, tell)
        else:
            self._made.setdefault(identity, _Made(attempt.task.id.stage))
            self._inner.start(attempt, partial(self._ended, question, identity, tell))

    def stop(self, attempt: Attempt, *, kill: bool) -> None:
        """Ask *attempt* to end, or *kill* it."""
        self._inner.stop(attempt, kill=kill)

    def close(self) -> None:
        """Remove what is left, and note what was of use."""
        self._inner.close()
        self._tried(self._results.close)

    def _taken(self, task: Task, question: Question | None) -> Outcome | None:
        """Return what an earlier result of *task* comes to; None where there is none."""
        is_asked_for = self.demand is None or self.demand.is_asked_for(task)
        held = self._results.found(task)
        while held is not None or (held := self._looked_up(task, question)) is not None:
            outputs = self._results.take(task, held, is_asked_for=is_asked_for)
            if outputs is not None:
                return Outcome(ending=AttemptResult.REUSED, outputs=outputs, is_waiting=not is_asked_for)
            held = None
        return None

    def _looked_up(self, task: Task, question: Question | None) -> StoredRecord | None:
        if question is None or (self.demand is not None and self.demand.lacks_inputs(task)):
            return None
        return self._results.find(question)

    def _is_provided(self, task: Task) -> bool:
        """Return whether all that *task* reads is where it looks for it."""
        if self.demand is not None and self.demand.lacks_inputs(task):
            return False
        try:
            self._results.provide(task)
        except (DamagedError, *_TROUBLE):
            return False
        return True

    def _ended(self, question: Question, identity: Identity, tell: Tell, attempt: Attempt, outcome: Outcome) -> None:
        if outcome.ending is AttemptResult.SUCCESS:
            self._tried(partial(self._results.keep, attempt.task, question, outcome))
        made = self._made.pop(identity, None)
        tell(attempt, outcome)
        # What it came to is there for them; or the first of them tries.
        for free in made.waiting if made is not None else ():
            free()

    def _tried(self, call: Callable[[], _T]) -> _T | None:
        """Return what *call* returns, None where the cache is out of reach; one that is damaged is made anew first."""
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
            self._complain(f"results are not kept, nor taken from earlier runs: {error}")
            return None
