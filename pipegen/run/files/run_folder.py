"""Where a run keeps what it makes: outside of the tree that it is about."""

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

# How many runs of a repository are kept, with their logs.
_KEPT = 20
_LOCK = "running"
_RUN = re.compile(r"\d{8}-\d{6}-(?P<id>[0-9a-f]{8})")


class RunFolder(Struct):
    """The folder of one run; *id* is in no other run.

    `logs`, `scripts` and `artifacts` stay when the run is over; `work` holds what only stages need.
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
        """The values that stages in one tree leave for each other."""
        return self.path / "work/values"

    @property
    def kept(self) -> Path:
        """The values that the script of a try leaves for what comes after it."""
        return self.path / "work/kept"

    @property
    def work(self) -> Path:
        """Trees, stores, and values."""
        return self.path / "work"

    @property
    def artifacts(self) -> Path:
        """What isolated stages leave for people."""
        return self.path / "artifacts"

    @property
    def journal(self) -> Path:
        """The journal."""
        return self.path / "journal.jsonl"

    @property
    def left(self) -> Path:
        """What isolated stages leave for others."""
        return self.work / "left"

    @property
    def descriptions(self) -> Path:
        """What isolated stages left, described; no name of a stage's folder holds such a sign."""
        return self.left / "~described"

    def close(self, *, is_done: bool) -> None:
        """Remove what only stages needed; unless all *is_done*, what they left stays for the run that goes on."""
        is_kept = not is_done and self.left.is_dir()
        for one in (path for path in self.work.iterdir() if path != self.left) if is_kept else (self.work,):
            shutil.rmtree(one, ignore_errors=True)
        remove(self.path / _LOCK)

    def go_on(self, earlier: RunFolder) -> None:
        """Take over what is needed to go on with an *earlier* run: what it left, then, in one step, its journal.

        A process that is killed in between leaves a journal that is not in force; `take_up` knows what it is worth.
        """
        shutil.copyfile(earlier.journal, self._copy)
        if earlier.left.is_dir():
            earlier.left.rename(self.left)
        self._copy.replace(self.journal)

    def take_up(self) -> None:
        """Put a copied journal in force whose process was killed when it had what belongs to it."""
        if self._copy.exists() and self.left.is_dir():
            self._copy.replace(self.journal)

    @property
    def _copy(self) -> Path:
        return self.path / "journal.copy"


def home(root: Path, environment: Mapping[str, str]) -> Path:
    """Return the folder for all runs of the repository at *root*."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", root.name).strip(".-") or "root"
    return private.state(environment) / f"{name}-{sha256(os.fsencode(root)).hexdigest()[:8]}"


def locks(environment: Mapping[str, str]) -> Path:
    """Return the folder for the locks of all runs of a user on this machine."""
    return private.state(environment) / "locks"


def make(around: Path, started: datetime, logs: Path | None) -> RunFolder:
    """Return a new folder in *around*; *logs* is where the user wants them."""
    number = secrets.token_hex(4)
    path = around / f"{started:%Y%m%d-%H%M%S}-{number}"
    folder = RunFolder(path, number, logs or path / "logs")
    # What stages print and tell each other is nobody else's business.
    for one in (around.parent, around):
        private.make_private(one)
    path.mkdir(mode=0o700)
    for one in (folder.logs, folder.scripts, folder.values, folder.kept):
        one.mkdir(parents=True, exist_ok=True)
    # Held until this process ends, however it ends: so others can tell that the run is over.
    lock = os.open(path / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    return folder


def earlier(around: Path) -> list[RunFolder]:
    """Return the runs in *around* that are over, the newest first."""
    paths = [path for path in reversed(_runs(around)) if not os.path.exists(path / _LOCK)]  # noqa: PTH110 - false, and no error, where nobody may look
    return [RunFolder(path, path.name.rpartition("-")[2], path / "logs") for path in paths]


def dead(around: Path) -> Iterator[RunFolder]:
    """Yield the runs in *around* that ended without cleaning up."""
    for path in _runs(around):
        lock = path / _LOCK
        if os.path.exists(lock) and _is_free(lock):  # noqa: PTH110 - as above
            found = _RUN.fullmatch(path.name)
            if found:
                yield RunFolder(path, found["id"], path / "logs")


def _runs(around: Path) -> list[Path]:
    """Return the folders of runs in *around*, oldest first."""
    if not around.is_dir():
        return []
    return sorted((path for path in around.iterdir() if _RUN.fullmatch(path.name)), key=_age)


def forget(around: Path) -> None:
    """Remove the oldest runs in *around* that are over, and what others would need to go on."""
    discard([one.path if number >= _KEPT else one.work for number, one in enumerate(earlier(around))])


def _age(run: Path) -> tuple[str, int]:
    """Return the second in which a run began, and for several of one second, when something in its folder changed."""
    try:
        return run.name.rpartition("-")[0], run.stat().st_mtime_ns
    except OSError:  # another process has just removed it
        return run.name, 0


def _is_free(lock: Path) -> bool:
    """Return whether nobody holds *lock*; what is no file nobody holds, and of what is somebody else's nobody knows."""
    try:
        with lock.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except IsADirectoryError:
        return True
    except OSError:
        return False
    return True
