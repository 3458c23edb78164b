"""The folder of a run, outside the repository."""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import shutil
from collections.abc import Iterator, Mapping
from datetime import datetime
from hashlib import sha256
from pathlib import Path

from pipegen.run.files import private
from pipegen.run.files.removal import discard, remove
from pipegen.structs import Struct

# The number of runs of a repository that are kept, with their logs.
_MOST_RUNS = 20
_LOCK = "running"
_RUN = re.compile(r"\d{8}-\d{6}-(?P<id>[0-9a-f]{8})")


class RunFolder(Struct):
    """The folder of a run; *id* is unique.

    `logs`, `scripts` and `artifacts` remain after the run; `work` holds files for stages only.
    """

    path: Path
    id: str
    logs: Path

    @property
    def scripts(self) -> Path:
        """The scripts of the stages."""
        return self.path / "scripts"

    @property
    def values(self) -> Path:
        """The values that stages in a shared tree pass to each other."""
        return self.path / "work/values"

    @property
    def after_values(self) -> Path:
        """The values that the script of an attempt passes to its `after` script."""
        return self.path / "work/kept"

    @property
    def work(self) -> Path:
        """Trees, artifact stores, and values."""
        return self.path / "work"

    @property
    def artifacts(self) -> Path:
        """The artifacts of isolated stages for the user."""
        return self.path / "artifacts"

    @property
    def journal(self) -> Path:
        """The journal."""
        return self.path / "journal.jsonl"

    @property
    def left(self) -> Path:
        """The files of isolated stages for later stages."""
        return self.work / "left"

    @property
    def descriptions(self) -> Path:
        """Descriptions of the files of isolated stages; no slug of a stage contains a tilde."""
        return self.left / "~described"

    def close(self, *, is_done: bool) -> None:
        """Remove files that only stages need; unless the run *is_done*, keep those that a resumed run needs."""
        is_kept = not is_done and self.left.is_dir()
        for unused in (path for path in self.work.iterdir() if path != self.left) if is_kept else (self.work,):
            shutil.rmtree(unused, ignore_errors=True)
        remove(self.path / _LOCK)

    def go_on(self, earlier: RunFolder) -> None:
        """Take over the files and then, atomically, the journal of an *earlier* run to resume it.

        If the process is killed in between, the copy of the journal is not in effect; `take_up` handles this.
        """
        shutil.copyfile(earlier.journal, self._copy)
        if earlier.left.is_dir():
            earlier.left.rename(self.left)
        self._copy.replace(self.journal)

    def take_up(self) -> None:
        """Put the copied journal of a killed process into effect if its files were moved already."""
        if self._copy.exists() and self.left.is_dir():
            self._copy.replace(self.journal)

    @property
    def _copy(self) -> Path:
        return self.path / "journal.copy"


def home(root: Path, environment: Mapping[str, str]) -> Path:
    """Return the folder of all runs of the repository at *root*."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", root.name).strip(".-") or "root"
    return private.state(environment) / f"{name}-{sha256(os.fsencode(root)).hexdigest()[:8]}"


def locks(environment: Mapping[str, str]) -> Path:
    """Return the folder of the locks of all local runs of the user."""
    return private.state(environment) / "locks"


def make(runs_folder: Path, started: datetime, logs: Path | None) -> RunFolder:
    """Return a new run folder in *runs_folder*; *logs* is the user's folder for logs."""
    number = secrets.token_hex(4)
    path = runs_folder / f"{started:%Y%m%d-%H%M%S}-{number}"
    folder = RunFolder(path, number, logs or path / "logs")
    # Logs and values may be confidential.
    for folder_path in (runs_folder.parent, runs_folder):
        private.make_private(folder_path)
    path.mkdir(mode=0o700)
    for folder_path in (folder.logs, folder.scripts, folder.values, folder.after_values):
        folder_path.mkdir(parents=True, exist_ok=True)
    # Held until this process ends for any reason, so that other processes can detect the end of the run.
    lock = os.open(path / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    return folder


def earlier(runs_folder: Path) -> list[RunFolder]:
    """Return the runs in *runs_folder* that have ended, newest first."""
    paths = [path for path in reversed(_runs(runs_folder)) if not os.path.exists(path / _LOCK)]  # noqa: PTH110 - False instead of an error without access
    return [RunFolder(path, path.name.rpartition("-")[2], path / "logs") for path in paths]


def dead(runs_folder: Path) -> Iterator[RunFolder]:
    """Yield the runs in *runs_folder* that ended without cleaning up."""
    for path in _runs(runs_folder):
        lock = path / _LOCK
        if os.path.exists(lock) and _is_free(lock):  # noqa: PTH110 - as above
            match = _RUN.fullmatch(path.name)
            if match:
                yield RunFolder(path, match["id"], path / "logs")


def _runs(runs_folder: Path) -> list[Path]:
    """Return the folders of runs in *runs_folder*, oldest first."""
    if not runs_folder.is_dir():
        return []
    return sorted((path for path in runs_folder.iterdir() if _RUN.fullmatch(path.name)), key=_age)


def forget(runs_folder: Path) -> None:
    """Remove the oldest runs in *runs_folder* that have ended, and the work folders that the others have left."""
    runs = enumerate(earlier(runs_folder))
    paths = [folder.path if number >= _MOST_RUNS else folder.work for number, folder in runs]
    discard([path for path in paths if os.path.lexists(path)])


def _age(run: Path) -> tuple[str, int]:
    """Return the second in which a run began, then the last change of its folder."""
    try:
        return run.name.rpartition("-")[0], run.stat().st_mtime_ns
    except OSError:  # another process has just removed it
        return run.name, 0


def _is_free(lock: Path) -> bool:
    """Return whether no process holds *lock*: True for a folder, False without access."""
    try:
        with lock.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except IsADirectoryError:
        return True
    except OSError:
        return False
    return True
