"""The rules of `outcome`, kept up to date one change at a time: all changes of a run take time linear in its arcs."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from pipegen.graph.execution import ExecutionGraph
from pipegen.run.outcome import HOLDS_NOTHING_UP, Reason, RunMoment, State, Status
from pipegen.structs import Struct


class StatusChanges(Struct):
    """What follows from a change: stages that may start now, and those that never will."""

    ready: Sequence[str] = ()
    skipped: Sequence[tuple[str, Reason]] = ()


class Progress:
    """How far a pipeline's run is.

    Once nothing before a stage is left to wait for, *is_wanted* is asked whether its condition holds, then *is_needed*
    whether its result is needed.
    """

    def __init__(
        self,
        graph: ExecutionGraph,
        final: tuple[str, ...],
        *,
        is_wanted: Callable[[str], bool],
        is_needed: Callable[[str], bool] = lambda _: True,
        is_fail_fast: bool = False,
    ) -> None:
        self._graph, self._final = graph, final
        self._is_wanted, self._is_needed, self._is_fail_fast = is_wanted, is_needed, is_fail_fast
        self._states: dict[str, State] = {}
        self._skipped: dict[str, Reason] = {}
        self._allowed: set[str] = set()
        self._missing = {stage: graph.in_degree(stage) for stage in graph.nodes}
        self._open, self._open_final = len(graph.nodes), len(final)
        self._is_stopped = self._is_killed = self._is_failed = self._is_final_bad = False
        # Whether somebody has kept a stage from starting that should have run.
        self._is_cut_short = False
        self._has_begun_final = False
        # What had ended before, and whose predecessors have not: nothing follows from it yet.
        self._withheld: set[str] = set()
        # What is not told yet.
        self._ready: list[str] = []
        self._lost: list[tuple[str, Reason]] = []

    # What it is asked

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to do, finally stages included."""
        return not self._open and not self._open_final

    @property
    def result(self) -> Status:
        """What came of the run; UNKNOWN while something is left to do."""
        if not self.is_over:
            return Status.UNKNOWN
        return Status.FAILED if self._is_final_bad else self.status("")

    def status(self, stage: str) -> Status:
        """Return what came of *stage*, of all but finally stages where that is ""; UNKNOWN while it is open."""
        if not stage:
            is_bad = self._is_failed or self._is_cut_short
            return Status.UNKNOWN if self._open else Status.FAILED if is_bad else Status.SUCCESS
        if stage in self._skipped:
            return Status.SKIPPED
        return _STATUSES[self._states[stage]] if stage in self._states else Status.UNKNOWN

    def moment(self) -> RunMoment:
        """Return where the run is, in the words of the rules."""
        return RunMoment(
            graph=self._graph,
            final=self._final,
            states=dict(self._states),
            unwanted=self._skipped_for(*HOLDS_NOTHING_UP),
            refused=self._skipped_for(Reason.REFUSED),
            allowed=frozenset(self._allowed),
            is_fail_fast=self._is_fail_fast,
            is_stopped=self._is_stopped,
            is_killed=self._is_killed,
        )

    def skipped(self) -> Mapping[str, Reason]:
        """Return the stages that never start, each with the first reason that there was."""
        return dict(self._skipped)

    def _skipped_for(self, *reasons: Reason) -> frozenset[str]:
        return frozenset(stage for stage, why in self._skipped.items() if why in reasons)

    # What it is told

    def begin(self, ended: Mapping[str, State], allowed: Collection[str] = ()) -> StatusChanges:
        """Begin where stages have *ended* before; those of them that failed and are *allowed* to hold nothing up.

        What comes after one that ended, but waits for another one farther up, waits for that.
        """
        self._states.update(ended)
        for stage, state in ended.items():
            self._end(stage, state, is_allowed=stage in allowed)
        for stage in self._graph.roots:
            if not self._is_decided(stage) and not self._reach(stage):
                self._go_on(stage, is_lost=False)
        return self._told()

    def start(self, stage: str) -> None:
        """Note that *stage* has started."""
        self._states[stage] = State.RUNNING

    def end(self, stage: str, state: State, *, is_allowed: bool = False) -> StatusChanges:
        """Note that *stage* has ended; where it failed, *is_allowed* says whether it may."""
        self._end(stage, state, is_allowed=is_allowed)
        return self._told()

    def refuse(self, stage: str) -> StatusChanges:
        """Note that somebody has said no to *stage*, which has not started."""
        self._skip(stage, Reason.REFUSED)
        self._fail()
        self._go_on(stage, is_lost=True)
        return self._told()

    def stop(self) -> StatusChanges:
        """Let nothing new start but finally stages."""
        self._is_stopped = True
        self._stop(self._graph.nodes)
        return self._told()

    def kill(self) -> StatusChanges:
        """Let nothing new start, not even finally stages."""
        self._is_stopped = self._is_killed = True
        self._stop((*self._graph.nodes, *self._final))
        return self._told()

    # What follows

    def _end(self, stage: str, state: State, *, is_allowed: bool) -> None:
        self._states[stage] = state
        is_bad = state is State.FAILED and not is_allowed
        if is_allowed:
            self._allowed.add(stage)
        self._close(stage)
        if stage not in self._missing:
            self._is_final_bad |= is_bad
            return
        if is_bad:
            self._fail()
        if self._missing[stage] and not is_bad:
            self._withheld.add(stage)
        else:
            self._go_on(stage, is_lost=is_bad)

    def _fail(self) -> None:
        self._is_failed = True
        if self._is_fail_fast:
            self._stop(self._graph.nodes)

    def _stop(self, stages: Iterable[str]) -> None:
        for stage in stages:
            if not self._is_decided(stage):
                self._skip(stage, Reason.STOPPED)
                self._is_cut_short |= stage in self._missing
                self._is_final_bad |= stage not in self._missing

    def _go_on(self, stage: str, *, is_lost: bool) -> None:
        """Tell all that comes after *stage* that it is over, and with *is_lost*, that they never start."""
        waiting = deque([(stage, is_lost)])
        while waiting:
            earlier, is_lost = waiting.popleft()
            for later in self._graph.successors(earlier):
                self._missing[later] -= 1
                if later in self._withheld:
                    if is_lost or not self._missing[later]:
                        self._withheld.remove(later)
                        waiting.append((later, is_lost))
                elif self._is_decided(later):
                    continue
                elif is_lost:
                    self._skip(later, Reason.BEFORE)
                    waiting.append((later, True))
                elif not self._missing[later] and not self._reach(later):
                    waiting.append((later, False))

    def _reach(self, stage: str) -> bool:
        """Return whether *stage*, which has nothing left to wait for, may start; it is skipped where it may not."""
        is_wanted = self._is_wanted(stage)
        if is_wanted and self._is_needed(stage):
            self._ready.append(stage)
            return True
        self._skip(stage, Reason.UNNEEDED if is_wanted else Reason.CONDITION)
        return False

    def _skip(self, stage: str, reason: Reason) -> None:
        self._skipped[stage] = reason
        self._lost.append((stage, reason))
        self._close(stage)

    def _close(self, stage: str) -> None:
        if stage in self._missing:
            self._open -= 1
        else:
            self._open_final -= 1

    def _is_decided(self, stage: str) -> bool:
        """Return whether *stage* has started or never will."""
        return stage in self._states or stage in self._skipped

    def _told(self) -> StatusChanges:
        if not self._open and not self._has_begun_final:
            self._has_begun_final = True
            for stage in self._final:
                if not self._is_decided(stage):
                    self._reach(stage)
        news = StatusChanges([stage for stage in self._ready if stage not in self._skipped], self._lost)
        self._ready, self._lost = [], []
        return news


_STATUSES = {State.RUNNING: Status.UNKNOWN, State.SUCCESS: Status.SUCCESS, State.FAILED: Status.FAILED}
