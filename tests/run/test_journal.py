"""Tests of the journal: what is written is read again, wherever it ends."""

from __future__ import annotations

from pathlib import Path

import pytest
from run.paper import FAILED, NOWHERE, Paper, paper_plan

from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.model import AllowFailure, Failure, Limits, Retry
from pipegen.run.events import Ended, Over
from pipegen.run.journal import FORMAT, Journal, UnreadableJournalError, finished, read
from pipegen.run.model import Attempt, Ending, Outcome, TaskId
from pipegen.run.outcome import Status
from pipegen.run.seal import sealed

SEALED = (sealed({"event": "over"}) + b"\n", sealed({"journal": FORMAT + 1}) + b"\n")
GRAPH = ExecutionGraph([["build", "test", "release"], ["build", "lint", "release"]])
BUILT = Outcome(ending=Ending.SUCCESS, exit_code=0, outputs=(("version", b"1.0\n\xff\x00"), ("empty", b"")))


def write(path: Path, paper: Paper, plan: str = "plan") -> None:
    """Run *paper* with a journal at *path*."""
    paper.run()
    with Journal(path, plan) as journal:
        for event in paper.heard.events:
            journal.hear(event)


def test_what_ended_comes_back(tmp_path: Path) -> None:
    """Values are the same bytes; durations are those of the last try."""
    limits = {"lint": Limits(retry=Retry(1, tuple(Failure), NOWHERE))}
    paper = Paper(
        paper_plan(GRAPH, limits=limits),
        outcomes={"build": [BUILT], "lint": [FAILED, BUILT]},
        durations={"build": 2.5, "lint": 4.0},
    )
    write(tmp_path / "journal", paper)
    story = read(tmp_path / "journal")

    assert story.ended[TaskId("p", "build")] == BUILT
    assert (story.plan, story.over) == ("plan", {"p": Status.SUCCESS})
    assert {task.stage: seconds for task, seconds in story.durations.items()} == {
        "build": 2.5,
        "test": 1.0,
        "lint": 4.0,
        "release": 1.0,
    }


def test_each_prefix_is_a_journal(tmp_path: Path) -> None:
    """Cut anywhere, it tells what its whole lines tell; what is written behind the cut is read as well."""
    paper = Paper(paper_plan(GRAPH), outcomes={"build": [BUILT]})
    write(tmp_path / "whole", paper)
    whole = (tmp_path / "whole").read_bytes()
    ended = [event.attempt.task.id for event in paper.heard.events if isinstance(event, Ended)]
    counts = set()
    for size in range(len(whole)):
        (tmp_path / "cut").write_bytes(whole[:size])
        if b"}" not in whole[:size]:
            with pytest.raises(UnreadableJournalError):
                read(tmp_path / "cut")
            continue
        story = read(tmp_path / "cut")
        assert list(story.ended) == ended[: len(story.ended)]
        # The last brace of a line is its end but for the line break.
        lines = [line for line in whole[:size].splitlines() if line.endswith(b"}")]
        assert len(story.ended) == sum(b'"event": "ended"' in line and b"}}" in line for line in lines)
        counts.add(len(story.ended))
        with Journal(tmp_path / "cut", "plan") as journal:
            journal.hear(Over(9.0, "p", Status.FAILED))
        again = read(tmp_path / "cut")
        assert (again.ended, again.over) == (story.ended, {"p": Status.FAILED})
    assert counts == set(range(len(ended) + 1))


def test_a_run_goes_on_where_it_failed(tmp_path: Path) -> None:
    """What succeeded, or was allowed to fail, is not repeated; finally stages are, for they tell of the whole."""
    limits = {"lint": Limits(allow_failure=AllowFailure((), NOWHERE))}
    plan = paper_plan(GRAPH, final=["report"], limits=limits)
    write(tmp_path / "journal", Paper(plan, outcomes={"lint": [FAILED], "test": [FAILED]}))
    story = read(tmp_path / "journal")

    assert [task.stage for task in finished(story, [plan])] == ["build", "lint"]


def test_a_run_that_ended_well_has_nothing_to_repeat(tmp_path: Path) -> None:
    """Its finally stages have told all there is."""
    plan = paper_plan(GRAPH, final=["report"])
    write(tmp_path / "journal", Paper(plan))

    assert {task.stage for task in finished(read(tmp_path / "journal"), [plan])} == {*GRAPH.nodes, "report"}


def test_what_was_stopped_runs_again(tmp_path: Path) -> None:
    """A cancelled stage has come to no end of its own."""
    plan = paper_plan(GRAPH)
    paper = Paper(plan)
    paper.run()
    attempt = next(event.attempt for event in paper.heard.events if isinstance(event, Ended))
    with Journal(tmp_path / "journal", "plan") as journal:
        journal.hear(Ended(1.0, Attempt(attempt.task, 1, "here"), Outcome(ending=Ending.CANCELLED), is_final=True))

    assert read(tmp_path / "journal").ended == {}


@pytest.mark.parametrize(
    "text", [b"", b"no json\n", b"[]\n", b'{"journal": 1}\n', b"[" * 100_000, b"\x00" * 99, *SEALED]
)
def test_what_is_no_journal(tmp_path: Path, text: bytes) -> None:
    """It is told, also of one that another version wrote."""
    (tmp_path / "journal").write_bytes(text)

    with pytest.raises(UnreadableJournalError):
        read(tmp_path / "journal")
