"""Runs that are killed at any write of the journal and resumed reach the same result."""

from __future__ import annotations

import os
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from run.graphs import GRAPH, graphs
from run.simulated_runs_in_tests import NOWHERE, ObservedRun, graph_plan

from pipegen.plan.model import AllowFailure, Failure, Limits, Plan, Retry
from pipegen.run.events import Ended, RunEvent, Skipped, Started
from pipegen.run.journal import Journal, UnreadableJournalError, finished, read
from pipegen.run.model import AttemptResult, Outcome, TaskId
from pipegen.run.status import Status

# The written part of a line when the process is killed: nothing, a part, all except the line break, or all.
CUTS = (0.0, 0.01, 0.5, 0.99, 1.0)


class KilledError(Exception):
    """The process was killed."""


class MortalJournal(Journal):
    """A journal whose process is killed at write *number*, from 0, after the fraction *cut* of that write."""

    def __init__(self, path: Path, number: int, cut: float) -> None:
        self._left, self._cut = number, cut
        super().__init__(path, "plan")

    def _put(self, line: bytes) -> None:
        if self._left == 0:
            super()._put(line[: int(len(line) * self._cut)])
            raise KilledError
        self._left -= 1
        super()._put(line)


def outcome(stage: str, *, is_good: bool) -> Outcome:
    """Return the constant outcome of *stage*."""
    if is_good:
        return Outcome(
            result=AttemptResult.SUCCESS, exit_code=0, outputs=(("name", f"{stage}\n\xff".encode("latin-1")),)
        )
    return Outcome(result=AttemptResult.FAILED, failure=Failure.SCRIPT, exit_code=3, reason="exit status 3")


class Case:
    """A plan, and the constant outcomes of its stages."""

    def __init__(self, plan: Plan, bad: frozenset[str] = frozenset(), unwanted: frozenset[str] = frozenset()) -> None:
        self.plan, self.unwanted = plan, unwanted
        self._good: defaultdict[Path, set[TaskId]] = defaultdict(set)
        self.outcomes = {job.stage: [outcome(job.stage, is_good=job.stage not in bad)] for job in plan.jobs}

    def run(self, path: Path, number: int = -1, cut: float = 1.0) -> State | None:
        """Run or resume with a journal at *path*; return the final state, None if the run was killed.

        Stages whose success was reported are not repeated.
        """
        ended = self.ended(path)
        assert self._good[path] <= ended.keys()
        observed = ObservedRun(self.plan, outcomes=self.outcomes, unwanted=self.unwanted, ended=ended)
        try:
            with MortalJournal(path, number, cut) as journal:
                observed.listeners.append(journal)
                results = observed.run()
        except KilledError:
            results = None
        for event in observed.log.events:
            assert not (isinstance(event, Started) and event.attempt.task.id in ended)
            if isinstance(event, Ended) and event.outcome.result is AttemptResult.SUCCESS:
                task = event.attempt.task
                self._good[path] |= set() if task.job.is_final else {task.id}
        return None if results is None else State(results, ended, observed.log.events)

    def ended(self, path: Path) -> Mapping[TaskId, Outcome]:
        """Return the outcomes that need not be repeated."""
        try:
            return finished(read(path), [self.plan])
        except (FileNotFoundError, UnreadableJournalError):
            return {}


class State:
    """The final state of a run and of the runs that it resumed."""

    def __init__(
        self, results: Mapping[str, Status], ended: Mapping[TaskId, Outcome], events: Sequence[RunEvent]
    ) -> None:
        self.results = dict(results)
        self.outcomes = {task.stage: status for task, status in ended.items()}
        self.skipped = {event.task.stage: event.reason for event in events if isinstance(event, Skipped)}
        for event in events:
            if isinstance(event, Ended) and event.is_final:
                self.outcomes[event.attempt.task.id.stage] = event.outcome

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]


def writes(case: Case, path: Path) -> int:
    """Return the number of lines in the journal of an uninterrupted run of *case*."""
    case.run(path)
    return len(path.read_bytes().splitlines())


@pytest.mark.parametrize("cut", CUTS)
def test_a_run_killed_at_each_write_reaches_the_same_result(tmp_path: Path, cut: float) -> None:
    """It has an allowed failure, one that is not, a retry, and a finally stage."""
    limits = {
        "lint": Limits(allow_failure=AllowFailure((), NOWHERE), retry=Retry(1, (Failure.SCRIPT,), NOWHERE)),
        "release": Limits(retry=Retry(1, (Failure.SCRIPT,), NOWHERE)),
    }
    case = Case(graph_plan(GRAPH, final=["report"], limits=limits), frozenset({"lint", "release"}))
    whole = case.run(tmp_path / "whole")
    for number in range(writes(case, tmp_path / "counted")):
        path = tmp_path / f"{number}"
        assert case.run(path, number, cut) is None
        assert case.run(path) == whole
        assert case.run(path) == whole


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Return a random plan whose results do not depend on time (with `fail_fast` they would)."""
    graph = draw(graphs(most=6))
    final = tuple(f"f{number}" for number in range(draw(st.integers(0, 2))))
    limits = st.builds(
        Limits,
        retry=st.none() | st.just(Retry(1, (Failure.SCRIPT,), NOWHERE)),
        allow_failure=st.none() | st.builds(AllowFailure, st.sampled_from([(), (3,), (4,)]), st.just(NOWHERE)),
    )
    stages = (*graph.nodes, *final)
    plan = graph_plan(graph, final=final, limits={stage: draw(limits) for stage in stages})
    some = st.frozensets(st.sampled_from(stages), max_size=3)
    return Case(plan, bad=draw(some), unwanted=draw(some))


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(st.data())
def test_a_run_killed_repeatedly_reaches_the_same_result(data: st.DataObject) -> None:
    """A stage that succeeded in one part is not repeated in a later one."""
    case = data.draw(cases())
    with tempfile.TemporaryDirectory() as folder:
        whole = case.run(Path(folder, "whole"))
        path = Path(folder, "cut")
        state = None
        for _ in range(data.draw(st.integers(1, 4))):
            number = data.draw(st.integers(0, 12))
            state = case.run(path, number, data.draw(st.sampled_from(CUTS)))
        assert (state or case.run(path)) == whole
        assert os.path.getsize(path)  # noqa: PTH202 - there is a journal
