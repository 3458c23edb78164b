"""How long stages take, by earlier runs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from run.graphs import GRAPH
from run.simulated_runs_in_tests import Paper, paper_plan

from pipegen.run.checksum import with_checksum
from pipegen.run.files.run_folder import make
from pipegen.run.journal import Journal
from pipegen.run.local.durations import known_durations
from pipegen.run.model import TaskId

BUILD = TaskId("p", "build")


def note(around: Path, number: int, seconds: float) -> Path:
    """Let a run in *around* take so many *seconds* to build; return its journal."""
    folder = make(around, datetime(2022, 1, 31, tzinfo=UTC) + timedelta(minutes=number), None)
    paper = Paper(paper_plan(GRAPH), durations={"build": seconds})
    paper.run()
    with Journal(folder.journal, "plan") as journal:
        for event in paper.heard.events:
            journal.notify(event)
    folder.close(is_done=True)
    return folder.journal


def test_the_median_of_the_last_few_counts(tmp_path: Path) -> None:
    """The same whether all runs are looked at now, or each when it was the last."""
    assert known_durations(tmp_path / "none") == {}
    found = []
    for number, seconds in enumerate((60.0, 50.0, 1.0, 100.0, 4.0, 3.0, 5.0)):
        note(tmp_path, number, seconds)
        found.append(known_durations(tmp_path)[BUILD])
    (tmp_path / "durations.json").unlink()

    assert found == [60.0, 55.0, 50.0, 55.0, 50.0, 4.0, 4.0]
    assert known_durations(tmp_path)[BUILD] == 4.0


def test_what_journals_have_told_is_kept(tmp_path: Path) -> None:
    """So that none is read twice; of a run that is gone, nothing stays."""
    journals = [note(tmp_path, number, 2.0 + number) for number in range(2)]
    known_durations(tmp_path)
    for journal in journals:
        journal.write_text("")
    assert known_durations(tmp_path)[BUILD] == 2.5
    journals[0].parent.rename(tmp_path / "elsewhere")

    assert known_durations(tmp_path)[BUILD] == 3.0


@pytest.mark.parametrize(
    "text", ["", "[]", '{"format": 2, "runs": {}}', with_checksum({"format": 0, "runs": {}}).decode(), "[" * 100_000]
)
def test_a_summary_that_is_none_is_made_anew(tmp_path: Path, text: str) -> None:
    """It only saves time."""
    note(tmp_path, 1, 7.0)
    (tmp_path / "durations.json").write_text(text)

    assert known_durations(tmp_path)[BUILD] == 7.0
    assert known_durations(tmp_path)[BUILD] == 7.0


def test_runs_without_a_journal_tell_nothing(tmp_path: Path) -> None:
    """They may have been killed before it began."""
    note(tmp_path, 1, 7.0).unlink()
    note(tmp_path, 2, 6.0)

    assert known_durations(tmp_path)[BUILD] == 6.0
