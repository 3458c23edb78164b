"""The rules that decide which stages start, which are skipped, and the status of the pipeline.

The same rules hold on every engine and in a local run. They are applied incrementally: all changes of a run take time
linear in its arcs. `tests/run/rules.py` states them as pure functions of the state of a run.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from pipegen.graph.execution import ExecutionGraph
from pipegen.run.status import Reason, Status
from pipegen.structs import Struct


class StatusChanges(Struct):
    """The stages that may start after a change, and those that are skipped."""

    ready: Sequence[str]
    skipped: Sequence[tuple[str, Reason]]


class Progress:
    """The state of a pipeline's run.

    When the predecessors of a stage have ended, *is_wanted* returns whether its condition holds, then *is_needed*
    whether its result is needed. The *final* stages run after all others, each for one status, or "" for any.
    """

    def __init__(
        self,
        graph: ExecutionGraph,
        final: Mapping[str, str],
        *,
        is_wanted: Callable[[str], bool],
        is_needed: Callable[[str], bool] = lambda _: True,
        is_fail_fast: bool = False,
    ) -> None:
        self._graph, self._final = graph, final
        self._is_wanted, self._is_needed, self._is_fail_fast = is_wanted, is_needed, is_fail_fast
        self._statuses: dict[str, Status] = {}
        self._skipped: dict[str, Reason] = {}
        self._missing = {stage: graph.in_degree(stage) for stage in graph.nodes}
        self._open, self._open_final = len(graph.nodes), len(final)
        self._is_stopped = self._is_killed = self._is_failed = self._is_final_bad = False
        # Whether a stage was skipped because the run was stopped.
        self._is_cut_short = False
        self._has_begun_final = False
        # Stages of the earlier run whose predecessors run again: their successors still wait.
        self._withheld: set[str] = set()
        # Changes that are not returned yet.
        self._ready: list[str] = []
        self._lost: list[tuple[str, Reason]] = []

    # Statuses

    @property
    def is_over(self) -> bool:
        """Whether all stages have ended, including finally stages."""
        return not self._open and not self._open_final

    @property
    def result(self) -> Status:
        """The status of the run; UNKNOWN until all stages have ended."""
        if not self.is_over:
            return Status.UNKNOWN
        return Status.FAILED if self._is_final_bad else self.status("")

    def status(self, stage: str) -> Status:
        """Return the status of *stage*, or for "" of all but finally stages; UNKNOWN until it has ended."""
        if not stage:
            is_bad = self._is_failed or self._is_cut_short
            return Status.UNKNOWN if self._open else Status.FAILED if is_bad else Status.SUCCESS
        if stage in self._skipped:
            return Status.SKIPPED
        return self._statuses.get(stage, Status.UNKNOWN)

    # Changes

    def begin(self, ended: Mapping[str, Status], allowed: Collection[str] = ()) -> StatusChanges:
        """Begin with the stages that *ended* in an earlier run; failures that are *allowed* do not block others.

        If a predecessor of an ended stage runs again, the successors of that stage wait for it.
        """
        self._statuses.update(ended)
        for stage, status in ended.items():
            self._end(stage, status, is_allowed=stage in allowed)
        for stage in self._graph.roots:
            if not self._is_decided(stage) and not self._reach(stage):
                self._release(stage, is_lost=False)
        return self._take_changes()

    def start(self, stage: str) -> None:
        """Note that *stage* has started."""
        self._statuses[stage] = Status.UNKNOWN

    def end(self, stage: str, status: Status, *, is_allowed: bool = False) -> StatusChanges:
        """Note that *stage* has ended; *is_allowed* is whether it may fail."""
        self._end(stage, status, is_allowed=is_allowed)
        return self._take_changes()

    def refuse(self, stage: str, *, is_optional: bool = False) -> StatusChanges:
        """Note that the approval of *stage* was refused; *is_optional* is whether the run continues without it."""
        self._skip(stage, Reason.REFUSED)
        if not is_optional:
            self._fail()
        self._release(stage, is_lost=True)
        return self._take_changes()

    def stop(self) -> StatusChanges:
        """Start only finally stages from now on."""
        self._is_stopped = True
        self._stop(self._graph.nodes)
        return self._take_changes()

    def expire(self) -> StatusChanges:
        """Fail, and start only finally stages from now on."""
        self._is_failed = True
        self._stop(self._graph.nodes)
        return self._take_changes()

    def kill(self) -> StatusChanges:
        """Start no more stages, not even finally stages."""
        self._is_stopped = self._is_killed = True
        self._stop((*self._graph.nodes, *self._final))
        return self._take_changes()

    # Effects of changes

    def _end(self, stage: str, status: Status, *, is_allowed: bool) -> None:
        self._statuses[stage] = status
        is_bad = status is Status.FAILED and not is_allowed
        self._close(stage)
        if stage not in self._missing:
            self._is_final_bad |= is_bad
            return
        if is_bad:
            self._fail()
        if self._missing[stage] and not is_bad:
            self._withheld.add(stage)
        else:
            self._release(stage, is_lost=is_bad)

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

    def _release(self, stage: str, *, is_lost: bool) -> None:
        """Release the successors of *stage*, or with *is_lost*, skip them."""
        waiting = deque([(stage, is_lost)])
        while waiting:
            earlier, is_lost = waiting.popleft()
            for later in self._graph.successors(earlier):
                self._missing[later] -= 1
                if self._missing[later] and not is_lost:
                    continue
                if later in self._withheld:
                    self._withheld.remove(later)
                    waiting.append((later, is_lost))
                elif self._is_decided(later):
                    continue
                elif is_lost:
                    self._skip(later, Reason.BEFORE)
                    waiting.append((later, True))
                elif not self._reach(later):
                    waiting.append((later, False))

    def _reach(self, stage: str) -> bool:
        """Return whether *stage*, whose predecessors have ended, may start; skip it if not."""
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
        return stage in self._statuses or stage in self._skipped

    def _take_changes(self) -> StatusChanges:
        if not self._open and not self._has_begun_final:
            self._has_begun_final = True
            for stage, status in self._final.items():
                if self._is_decided(stage):
                    continue
                if status in ("", self.status("").value):
                    self._reach(stage)
                else:
                    self._skip(stage, Reason.RESULT)
        changes = StatusChanges([stage for stage in self._ready if stage not in self._skipped], self._lost)
        self._ready, self._lost = [], []
        return changes
