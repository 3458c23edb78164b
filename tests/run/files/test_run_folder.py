"""Folders of runs."""

from __future__ import annotations

import stat
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pipegen.run.files import private
from pipegen.run.files.run_folder import dead, forget, home, make

STARTED = datetime(2022, 1, 31, 16, 47, 55, tzinfo=UTC)
_DIE = "import sys; from pathlib import Path; from datetime import datetime as d; "
_DIE += "from pipegen.run.files.run_folder import make; "
_DIE += "f = make(Path(sys.argv[1]), d(2022, 1, 31), None); print(f.id); (f.work / 'tree').mkdir()"


def test_each_repository_has_its_own_state_folder(tmp_path: Path) -> None:
    """It is outside the repository, and distinct for repositories of the same name."""
    environment = {"XDG_STATE_HOME": str(tmp_path)}
    path, other = home(Path("/a/web site"), environment), home(Path("/b/web site"), environment)

    assert path.parent == tmp_path / "pipegen"
    assert path.name.startswith("web-site-")
    assert path != other
    assert home(Path("/a"), {"HOME": "/home/me"}).is_relative_to("/home/me/.local/state")


@pytest.mark.parametrize("relative", ["", "state", "./state", "~/state"])
def test_relative_folders_are_ignored(relative: str, tmp_path: Path) -> None:
    """They would be in the tree, or in another one for a stage with a directory."""
    environment = {"XDG_STATE_HOME": relative, "XDG_CACHE_HOME": relative, "HOME": str(tmp_path)}

    assert private.state(environment) == tmp_path / ".local/state/pipegen"
    assert private.cache(environment) == tmp_path / ".cache/pipegen"


def test_logs_and_scripts_of_a_run_remain(tmp_path: Path) -> None:
    """Only their owner may read them."""
    folder = make(tmp_path, STARTED, None)
    (folder.logs / "a.log").touch()
    (folder.values / "x").touch()
    folder.close(is_done=True)

    assert {path.name for path in folder.path.iterdir()} == {"logs", "scripts"}
    assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700


def test_nothing_is_removed_after_runs_that_cleaned_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No process starts for them."""
    removed: list[Sequence[Path]] = []
    monkeypatch.setattr("pipegen.run.files.run_folder.discard", removed.append)
    make(tmp_path, STARTED, None).close(is_done=True)
    forget(tmp_path)

    assert removed == [[]]


def test_old_runs_are_removed(tmp_path: Path) -> None:
    """The last twenty remain, as do folders that are not runs."""
    (tmp_path / "cache").mkdir()
    folders = [make(tmp_path, STARTED + timedelta(seconds=number), None) for number in range(25)]
    for folder in folders:
        folder.close(is_done=True)
    last = make(tmp_path, STARTED + timedelta(days=1), None)
    forget(tmp_path)

    expected = {*(folder.path for folder in folders[-20:]), last.path, tmp_path / "cache"}
    for _ in range(200):
        if set(tmp_path.iterdir()) == expected:
            break
        time.sleep(0.05)
    assert set(tmp_path.iterdir()) == expected
    assert (tmp_path / "cache").is_dir()


def test_a_run_that_died_is_detected(tmp_path: Path) -> None:
    """A run that is still active is not reported."""
    alive = make(tmp_path, STARTED, None)
    died = subprocess.run((sys.executable, "-c", _DIE, str(tmp_path)), capture_output=True, text=True, check=True)
    (folder,) = dead(tmp_path)

    assert folder.id == died.stdout.strip() != alive.id
    folder.close(is_done=True)
    assert not folder.work.exists()
    assert list(dead(tmp_path)) == []


def test_resuming_never_loses_the_journal_or_files(tmp_path: Path) -> None:
    """If the process is killed during the takeover, both belong together to the old run or to the new one."""
    old = make(tmp_path, STARTED, None)
    old.journal.write_text("journal")
    (old.left / "stage").mkdir(parents=True)
    new = make(tmp_path, STARTED + timedelta(seconds=1), None)
    copied = new.path / "journal.copy"
    copied.write_text("journal")
    new.take_up()
    assert not new.journal.exists()

    old.left.rename(new.left)
    new.take_up()
    assert (new.journal.read_text(), copied.exists()) == ("journal", False)

    newest = make(tmp_path, STARTED + timedelta(seconds=2), None)
    newest.go_on(new)
    assert (newest.journal.read_text(), (newest.left / "stage").is_dir()) == ("journal", True)
