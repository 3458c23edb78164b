"""Removal of folders, in the background if there are many files."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Sequence
from pathlib import Path


def discard(folders: Sequence[Path]) -> None:
    """Remove *folders* in a separate process without waiting; a later run removes what remains."""
    if folders:
        quiet = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]
        os.posix_spawn(
            "/bin/rm", ("rm", "-rf", "--", *map(str, folders)), {"PATH": os.defpath}, file_actions=quiet, setsid=True
        )


def remove(path: Path) -> None:
    """Remove the file, link or folder *path*; ignore errors."""
    if _is_folder(path):
        unlock(path)
        for folder, inside, _ in os.walk(path):
            for name in inside:
                unlock(Path(folder, name))
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink()


def make_folder(path: Path) -> None:
    """Create the folder *path* unless it exists and is usable; remove anything else there."""
    unlock(path)
    # Another process may create the folder at any time, and it must not be removed then.
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except FileExistsError:
        remove(path)
        path.mkdir(mode=0o700, parents=True, exist_ok=True)


def unlock(path: Path) -> None:
    """Give the owner of the folder *path* full access again; nothing if there is no folder."""
    if _is_folder(path) and not os.access(path, os.R_OK | os.W_OK | os.X_OK):
        with contextlib.suppress(OSError):
            path.chmod(0o700)


def _is_folder(path: Path) -> bool:
    """Return whether *path* is a folder, not a link to one; False without access."""
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except OSError:
        return False
