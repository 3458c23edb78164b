"""Durations of stages in earlier runs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from run.graphs import GRAPH
from run.simulated_runs_in_tests import ObservedRun, graph_plan

from pipegen.run.checksum import with_checksum
from pipegen.run.files.run_folder import RunFolder, make
from pipegen.run.journal import Journal
from pipegen.run.local.durations import add_durations, known_durations
from pipegen.run.model import TaskId
from pipegen.structs import from_json

BUILD = TaskId("p", "build")


def note(around: Path, number: int, seconds: float) -> Path:
    """Record a run in *around* whose build takes *seconds*; return its journal."""
    folder = make(around, datetime(2022, 1, 31, tzinfo=UTC) + timedelta(minutes=number), None)
    observed = ObservedRun(graph_plan(GRAPH), durations={"build": seconds})
    observed.run()
    with Journal(folder.journal, "plan") as journal:
        for event in observed.log.events:
            journal.notify(event)
    folder.close(is_done=True)
    return folder.journal


def test_a_duration_is_the_median_of_recent_runs(tmp_path: Path) -> None:
    """Reading all runs at once, or each as it ends, gives the same result."""
    assert known_durations(tmp_path / "none") == {}
    values = []
    for number, seconds in enumerate((60.0, 50.0, 1.0, 100.0, 4.0, 3.0, 5.0)):
        note(tmp_path, number, seconds)
        values.append(known_durations(tmp_path)[BUILD])
    (tmp_path / "durations.json").unlink()

    assert values == [60.0, 55.0, 50.0, 55.0, 50.0, 4.0, 4.0]
    assert known_durations(tmp_path)[BUILD] == 4.0


def test_durations_of_read_journals_are_cached(tmp_path: Path) -> None:
    """No journal is read twice, and removed runs are dropped."""
    journals = [note(tmp_path, number, 2.0 + number) for number in range(2)]
    known_durations(tmp_path)
    for journal in journals:
        journal.write_text("")
    assert known_durations(tmp_path)[BUILD] == 2.5
    journals[0].parent.rename(tmp_path / "elsewhere")

    assert known_durations(tmp_path)[BUILD] == 3.0


def test_a_run_adds_its_durations_so_that_no_journal_is_read(tmp_path: Path) -> None:
    """The newest ten runs count, as if their journals were read."""
    for number in range(12):
        journal = note(tmp_path, number, 0.0)
        journal.write_text("")
        add_durations(tmp_path, RunFolder(journal.parent, "", journal.parent), {BUILD: 2.0 + number})

    assert known_durations(tmp_path)[BUILD] == 11.0
    assert len(from_json((tmp_path / "durations.json").read_bytes())["runs"]) == 10


@pytest.mark.parametrize(
    "text", ["", "[]", '{"format": 2, "runs": {}}', with_checksum({"format": 0, "runs": {}}).decode(), "[" * 100_000]
)
def test_an_invalid_cache_of_durations_is_rebuilt(tmp_path: Path, text: str) -> None:
    """It only saves time."""
    note(tmp_path, 1, 7.0)
    (tmp_path / "durations.json").write_text(text)

    assert known_durations(tmp_path)[BUILD] == 7.0
    assert known_durations(tmp_path)[BUILD] == 7.0


def test_runs_without_a_journal_are_ignored(tmp_path: Path) -> None:
    """They may have been killed before it was created."""
    note(tmp_path, 1, 7.0).unlink()
    note(tmp_path, 2, 6.0)

    assert known_durations(tmp_path)[BUILD] == 6.0
