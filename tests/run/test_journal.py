"""The journal of a run can be read, at whatever point it ends."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from run.simulated_runs_in_tests import FAILED, NOWHERE, ObservedRun, graph_plan

from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.model import AllowFailure, Failure, Limits, Retry
from pipegen.run.checksum import with_checksum
from pipegen.run.events import Ended, PipelineEnded
from pipegen.run.journal import FORMAT, Journal, UnreadableJournalError, finished, read
from pipegen.run.model import Attempt, AttemptResult, Outcome, TaskId
from pipegen.run.status import Status

WITH_CHECKSUM = (with_checksum({"event": "over"}) + b"\n", with_checksum({"journal": FORMAT + 1}) + b"\n")
GRAPH = ExecutionGraph([["build", "test", "release"], ["build", "lint", "release"]])
BUILT = Outcome(result=AttemptResult.SUCCESS, exit_code=0, outputs=(("version", b"1.0\n\xff\x00"), ("empty", b"")))


def write(path: Path, observed: ObservedRun, plan: str = "plan") -> None:
    """Run *observed* with a journal at *path*."""
    observed.run()
    with Journal(path, plan) as journal:
        for event in observed.log.events:
            journal.notify(event)


def test_outcomes_are_read_back(tmp_path: Path) -> None:
    """Values have the same bytes; a duration is that of the last attempt."""
    limits = {"lint": Limits(retry=Retry(1, tuple(Failure), NOWHERE))}
    observed = ObservedRun(
        graph_plan(GRAPH, limits=limits),
        outcomes={"build": [BUILT], "lint": [FAILED, BUILT]},
        durations={"build": 2.5, "lint": 4.0},
    )
    write(tmp_path / "journal", observed)
    story = read(tmp_path / "journal")

    assert story.ended[TaskId("p", "build")] == BUILT
    assert (story.plan, story.over) == ("plan", {"p": Status.SUCCESS})
    assert {task.stage: seconds for task, seconds in story.durations.items()} == {
        "build": 2.5,
        "test": 1.0,
        "lint": 4.0,
        "release": 1.0,
    }


def test_an_attempt_has_one_line(tmp_path: Path) -> None:
    """It is written when the attempt has ended."""
    write(tmp_path / "journal", ObservedRun(graph_plan(GRAPH)))
    lines = (tmp_path / "journal").read_text(encoding="utf-8").splitlines()

    assert [json.loads(line).get("event") for line in lines] == [None, *["ended"] * len(GRAPH.nodes), "over"]


@pytest.mark.slow
def test_every_prefix_of_a_journal_is_readable(tmp_path: Path) -> None:
    """Complete lines count, and lines that are appended after the cut are also read."""
    observed = ObservedRun(graph_plan(GRAPH), outcomes={"build": [BUILT]})
    write(tmp_path / "whole", observed)
    whole = (tmp_path / "whole").read_bytes()
    ended = [event.attempt.task.id for event in observed.log.events if isinstance(event, Ended)]
    counts = set()
    for size in range(len(whole)):
        (tmp_path / "cut").write_bytes(whole[:size])
        if b"}" not in whole[:size]:
            with pytest.raises(UnreadableJournalError):
                read(tmp_path / "cut")
            continue
        story = read(tmp_path / "cut")
        assert list(story.ended) == ended[: len(story.ended)]
        # The last brace of a line completes it, even without the line break.
        lines = [line for line in whole[:size].splitlines() if line.endswith(b"}")]
        assert len(story.ended) == sum(b'"event": "ended"' in line and b"}}" in line for line in lines)
        counts.add(len(story.ended))
        with Journal(tmp_path / "cut", "plan") as journal:
            journal.notify(PipelineEnded(9.0, "p", Status.FAILED))
        again = read(tmp_path / "cut")
        assert (again.ended, again.over) == (story.ended, {"p": Status.FAILED})
    assert counts == set(range(len(ended) + 1))


def test_resuming_skips_successful_and_allowed_stages(tmp_path: Path) -> None:
    """Finally stages are repeated, because they report on the whole run."""
    limits = {"lint": Limits(allow_failure=AllowFailure((), NOWHERE))}
    plan = graph_plan(GRAPH, final=["report"], limits=limits)
    write(tmp_path / "journal", ObservedRun(plan, outcomes={"lint": [FAILED], "test": [FAILED]}))
    story = read(tmp_path / "journal")

    assert [task.stage for task in finished(story, [plan])] == ["build", "lint"]


def test_resuming_a_successful_run_repeats_nothing(tmp_path: Path) -> None:
    """Its finally stages ran."""
    plan = graph_plan(GRAPH, final=["report"])
    write(tmp_path / "journal", ObservedRun(plan))

    assert {task.stage for task in finished(read(tmp_path / "journal"), [plan])} == {*GRAPH.nodes, "report"}


def test_a_cancelled_stage_runs_again(tmp_path: Path) -> None:
    """It has no result of its own."""
    plan = graph_plan(GRAPH)
    observed = ObservedRun(plan)
    observed.run()
    attempt = next(event.attempt for event in observed.log.events if isinstance(event, Ended))
    with Journal(tmp_path / "journal", "plan") as journal:
        journal.notify(
            Ended(1.0, Attempt(attempt.task, 1, "here"), Outcome(result=AttemptResult.CANCELLED), is_final=True)
        )

    assert read(tmp_path / "journal").ended == {}


@pytest.mark.parametrize(
    "text", [b"", b"no json\n", b"[]\n", b'{"journal": 1}\n', b"[" * 100_000, b"\x00" * 99, *WITH_CHECKSUM]
)
def test_an_unreadable_journal_is_an_error(tmp_path: Path, text: bytes) -> None:
    """This includes a journal of another version."""
    (tmp_path / "journal").write_bytes(text)

    with pytest.raises(UnreadableJournalError):
        read(tmp_path / "journal")


def test_a_full_disk_ends_the_journal_with_one_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run continues, and the lines before are readable."""
    path, warnings = tmp_path / "journal", list[str]()
    with Journal(path, "plan", warnings.append) as journal:
        for event in (
            PipelineEnded(1.0, "one", Status.SUCCESS),
            PipelineEnded(2.0, "other", Status.FAILED),
            PipelineEnded(3.0, "p", Status.FAILED),
        ):
            journal.notify(event)
            monkeypatch.setattr(Journal, "_put", _full)

    assert warnings == [f"{path}: No space left on device: --resume will repeat the stages that end from now on"]
    assert read(path).over == {"one": Status.SUCCESS}


def _full(*_: object) -> None:
    raise OSError(28, "No space left on device")


def test_secret_values_are_not_written(tmp_path: Path) -> None:
    """A resumed run repeats their stage; its duration is known."""
    observed = ObservedRun(graph_plan(GRAPH), outcomes={"build": [BUILT]})
    observed.run()
    with Journal(tmp_path / "journal", "plan", hides=lambda value: b"1.0" in value) as journal:
        for event in observed.log.events:
            journal.notify(event)
    story = read(tmp_path / "journal")

    assert base64.b64encode(BUILT.outputs[0][1]) not in (tmp_path / "journal").read_bytes()
    assert [task.stage for task in story.ended] == ["test", "lint", "release"]
    assert TaskId("p", "build") in story.durations


def test_damaged_lines_are_counted(tmp_path: Path) -> None:
    """Their results are lost; an incomplete last line is not counted."""
    write(tmp_path / "journal", ObservedRun(graph_plan(GRAPH), outcomes={"build": [BUILT]}))
    lines = (tmp_path / "journal").read_bytes().splitlines(keepends=True)
    index = next(number for number, line in enumerate(lines) if b'"ended"' in line)
    lines[index] = lines[index].replace(b"MS4w", b"Mi4w")
    (tmp_path / "journal").write_bytes(b"".join(lines) + b'{"checksum": "')
    story = read(tmp_path / "journal")

    assert (story.lost, TaskId("p", "build") in story.ended) == (1, False)
