"""Takes the results of earlier runs where they are the same, and has the rest made."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from pipegen.run.cache.results import Identity, Question, Results
from pipegen.run.clock import Clock
from pipegen.run.executors.base import Executor, Tell
from pipegen.run.model import Attempt, Ending, Outcome

_T = TypeVar("_T")

# A disk that is full, a folder that may not be written to: the run goes on without the cache.
_TROUBLE = (OSError, sqlite3.Error)


class ReusingExecutor:
    """Runs tries by *inner* unless *results* has what they would come to.

    Of equal stages one at a time runs; the others wait for what it comes to. With *is_forced* nothing is looked up, but
    what is made is kept. *complain* is told once why results cannot be kept.
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
        self._waiting: dict[Identity, list[tuple[Attempt, Tell]]] = {}
        self._is_broken = False

    def start(self, attempt: Attempt, tell: Tell) -> None:
        """Begin *attempt*, or tell what an earlier one came to."""
        question = self._tried(partial(self._results.question, attempt.task))
        if question is None:
            self._inner.start(attempt, tell)
            return
        outputs = None if self._is_forced else self._tried(partial(self._taken, attempt, question))
        if outputs is not None:
            outcome = Outcome(ending=Ending.REUSED, outputs=outputs)
            self._clock.at(self._clock.now(), partial(tell, attempt, outcome))
            return
        identity = self._tried(partial(self._results.identity, question))
        if identity is None:
            self._inner.start(attempt, tell)
        elif identity in self._waiting:
            self._waiting[identity].append((attempt, tell))
        else:
            self._waiting[identity] = []
            self._inner.start(attempt, partial(self._ended, question, identity, tell))

    def stop(self, attempt: Attempt, *, kill: bool) -> None:
        """Ask *attempt* to end, or *kill* it; one that waits for an equal one has ended."""
        for waiting in self._waiting.values():
            for one, tell in waiting:
                if one == attempt:
                    waiting.remove((one, tell))
                    self._clock.at(
                        self._clock.now(), partial(tell, attempt, Outcome(ending=Ending.CANCELLED, reason="it waited"))
                    )
                    return
        self._inner.stop(attempt, kill=kill)

    def close(self) -> None:
        """Remove what is left, and note what was of use."""
        self._inner.close()
        self._tried(self._results.close)

    def _taken(self, attempt: Attempt, question: Question) -> tuple[tuple[str, bytes], ...] | None:
        while (held := self._results.find(question)) is not None:
            outputs = self._results.take(attempt.task, held)
            if outputs is not None:
                return outputs
        return None

    def _ended(self, question: Question, identity: Identity, tell: Tell, attempt: Attempt, outcome: Outcome) -> None:
        if outcome.ending is Ending.SUCCESS:
            self._tried(partial(self._results.keep, attempt.task, question, outcome))
        waiting = self._waiting.pop(identity)
        tell(attempt, outcome)
        # What it came to is there for them; or the first of them tries.
        for one, its_tell in waiting:
            self.start(one, its_tell)

    def _tried(self, call: Callable[[], _T]) -> _T | None:
        """Return what *call* returns, None where the cache is out of reach."""
        if self._is_broken:
            return None
        try:
            return call()
        except _TROUBLE as error:
            self._is_broken = True
            self._complain(f"results are not kept, nor taken from earlier runs: {error}")
            return None
